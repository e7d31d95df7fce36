// SPDX-License-Identifier: Apache-2.0
// The continued fraction of Abramowitz and Stegun 26.5.8, evaluated from the front (Lentz).
#include "math/student.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace sextant {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kMostTerms = 10000;  // about sqrt(max(a, b)) are needed

// The continued fraction without its factor. Converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = std::numeric_limits<double>::min() / kEpsilon;
  const auto kept = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
  double c = 1.0, d = 1.0 / kept(1.0 - (a + b) * x / (a + 1.0)), result = d;
  for (int i = 1; i <= kMostTerms; ++i) {
    const double m = i, at = a + 2.0 * m;
    const double even = m * (b - m) * x / ((at - 1.0) * at);
    d = 1.0 / kept(1.0 + even * d);
    c = kept(1.0 + even / c);
    result *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / (at * (at + 1.0));
    d = 1.0 / kept(1.0 + odd * d);
    c = kept(1.0 + odd / c);
    result *= c * d;
    if (std::abs(c * d - 1.0) <= kEpsilon) break;
  }
  return result;
}

}  // namespace

double incomplete_beta(double a, double b, double x, double rest) {
  if (x <= 0.0) return 0.0;
  if (rest <= 0.0) return 1.0;
  const double factor = std::exp(a * std::log(x) + b * std::log(rest) + std::lgamma(a + b) -
                                 std::lgamma(a) - std::lgamma(b));
  if (x < (a + 1.0) / (a + b + 2.0)) return factor * beta_fraction(a, b, x) / a;
  return 1.0 - factor * beta_fraction(b, a, rest) / b;
}

double student_two_sided(double t, double freedom) {
  if (std::isinf(t)) return 0.0;
  const double ratio = t * t / freedom;
  return incomplete_beta(freedom / 2.0, 0.5, 1.0 / (1.0 + ratio), ratio / (1.0 + ratio));
}

double student_quantile(double p, double freedom) {
  double low = 0.0, high = 1.0;
  while (student_two_sided(high, freedom) > p) high *= 2.0;
  while (true) {
    const double middle = std::midpoint(low, high);
    if (middle <= low || middle >= high) return high;
    (student_two_sided(middle, freedom) > p ? low : high) = middle;
  }
}

}  // namespace sextant
