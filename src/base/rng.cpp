// SPDX-License-Identifier: Apache-2.0
// Everything here is integer arithmetic or + - * / sqrt, which IEEE 754 rounds in one way only.
#include "base/rng.h"

#include <array>
#include <cmath>
#include <numbers>

namespace sextant {
namespace {

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

// Words 0 and 1 of the block whose counter is (counter, stream) and whose key is the seed, low
// words first.
std::uint64_t philox(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
  std::array<std::uint32_t, 4> x = {low(counter), high(counter), low(stream), high(stream)};
  std::uint32_t key0 = low(seed), key1 = high(seed);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53} * x[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * x[2];
    x = {high(product1) ^ x[1] ^ key0, low(product1), high(product0) ^ x[3] ^ key1, low(product0)};
    key0 += 0x9E3779B9;  // golden ratio
    key1 += 0xBB67AE85;  // sqrt(3) - 1
  }
  return std::uint64_t{x[1]} << 32 | x[0];
}

// Natural logarithm of a positive normal number, relative error below 4e-16 for x <= 0.1:
// e log 2 + 2 artanh((m - 1)/(m + 1)) with m in [sqrt(1/2), sqrt(2)). The 12 terms of the series
// leave less than 0.0295^12 / 25 < 2e-20.
double portable_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.5 * std::numbers::sqrt2) {
    m *= 2.0;
    --exponent;
  }
  const double s = (m - 1.0) / (m + 1.0);
  double series = 0.0;
  for (int k = 11; k >= 0; --k) series = series * (s * s) + 1.0 / (2 * k + 1);
  return exponent * std::numbers::ln2 + 2.0 * s * series;
}

using Coefficients = std::array<double, 8>;  // from the constant upwards

double ratio(const Coefficients& numerator, const Coefficients& denominator, double x) {
  double n = 0.0, d = 0.0;
  for (std::size_t i = numerator.size(); i-- > 0;) {
    n = n * x + numerator[i];
    d = d * x + denominator[i];
  }
  return n / d;
}

// |p - 1/2| <= 0.425
constexpr Coefficients kCentreN = {3.3871328727963666080e0, 1.3314166789178437745e2,
                                   1.9715909503065514427e3, 1.3731693765509461125e4,
                                   4.5921953931549871457e4, 6.7265770927008700853e4,
                                   3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr Coefficients kCentreD = {1.0,
                                   4.2313330701600911252e1,
                                   6.8718700749205790830e2,
                                   5.3941960214247511077e3,
                                   2.1213794301586595867e4,
                                   3.9307895800092710610e4,
                                   2.8729085735721942674e4,
                                   5.2264952788528545610e3};
// sqrt(-log p) <= 5
constexpr Coefficients kTailN = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                 5.76949722146069140550e0,  3.64784832476320460504e0,
                                 1.27045825245236838258e0,  2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients kTailD = {1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};
// sqrt(-log p) > 5
constexpr Coefficients kFarN = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients kFarD = {1.0,
                                5.99832206555887937690e-1,
                                1.36929880922735805310e-1,
                                1.48753612908506148525e-2,
                                7.86869131145613259100e-4,
                                1.84631831751005468180e-5,
                                1.42151175831644588870e-7,
                                2.04426310338993978564e-15};

}  // namespace

double lower_normal_quantile(double p) {
  const double q = 0.5 - p;
  if (q <= 0.425) return -q * ratio(kCentreN, kCentreD, 0.180625 - q * q);
  const double r = std::sqrt(-portable_log(p));
  return r <= 5.0 ? -ratio(kTailN, kTailD, r - 1.6) : -ratio(kFarN, kFarD, r - 5.0);
}

std::uint64_t Rng::at(std::uint64_t counter) const { return philox(seed_, stream_, counter); }

double Rng::uniform(std::uint64_t counter) const {
  return static_cast<double>(at(counter) >> 11) * 0x1p-53;
}

double Rng::normal(std::uint64_t counter) const {
  const std::uint64_t bits = at(counter);
  const double p = (static_cast<double>(bits >> 12) + 0.5) * 0x1p-53;  // exact, in (0, 1/2)
  const double z = lower_normal_quantile(p);
  return (bits & 1) != 0 ? z : -z;
}

}  // namespace sextant
