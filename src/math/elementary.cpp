// SPDX-License-Identifier: Apache-2.0
// Each function reduces its argument to a grid point of a small table plus a rest below 2^-7, and
// sums a short series of the rest: the leading terms in double-double, those below 2^-50 of the
// result in double. The tables are built once, from the same series without the shortcuts.
#include "math/elementary.h"

#include <array>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "base/check.h"

namespace sextant {
namespace {

// Constants as sums of three doubles, about 160 bits.
constexpr std::array<double, 3> kHalfPi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54,
                                           -0x1.f1976b7ed8fbcp-110};
constexpr std::array<double, 3> kLn2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56,
                                        0x1.7b57a079a1934p-111};
constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
constexpr double kOneOverLn2 = 0x1.71547652b82fep+0;

constexpr int kGrid = 64;  // table points per unit

// x - k * c. The first product cancels most of x before anything is rounded. REQUIRES: k is an
// integer with |x - k c| <= |c|.
DoubleDouble reduced(DoubleDouble x, double k, const std::array<double, 3>& c) {
  const DoubleDouble first = two_prod(k, c[0]);
  const DoubleDouble second = two_prod(k, c[1]);
  DoubleDouble rest = two_sum(x.high - first.high, -first.low);
  rest = rest + x.low;
  rest = rest - second.high;
  return rest - (second.low + k * c[2]);
}

// n * ln 2.
DoubleDouble times_ln2(double n) {
  const DoubleDouble first = two_prod(n, kLn2[0]);
  return first + (two_prod(n, kLn2[1]) + n * kLn2[2]);
}

struct GridPoint {
  int index;          // in units of 1/kGrid
  DoubleDouble rest;  // at most half a unit
};

GridPoint nearest_grid_point(DoubleDouble x) {
  const double index = std::nearbyint(x.high * kGrid);
  return {static_cast<int>(index), two_sum(x.high - index / kGrid, x.low)};
}

// 1/n! in double-double for n < size.
template <std::size_t size>
std::array<DoubleDouble, size> inverse_factorials() {
  std::array<DoubleDouble, size> result;
  result[0] = 1.0;
  for (std::size_t n = 1; n < size; ++n) result[n] = result[n - 1] / static_cast<double>(n);
  return result;
}

// ---------------------------------------------------------------------------------------------
// exp

// e^x - 1 for |x| <= 2^-7 within 2^-108 |x|.
DoubleDouble small_expm1(DoubleDouble x) {
  static const auto c = inverse_factorials<13>();
  double tail = c[12].high;
  for (std::size_t n = 11; n >= 7; --n) tail = c[n].high + x.high * tail;
  DoubleDouble sum = c[6] + x.high * tail;
  for (std::size_t n = 5; n >= 1; --n) sum = c[n] + x * sum;
  return x * sum;
}

constexpr int kExpPoints = 24;  // kGrid ln(2)/2, and one for rounding

// e^(j/kGrid) for |j| <= kExpPoints.
DoubleDouble exp_of_grid_point(int j) {
  static const auto table = [] {
    std::array<DoubleDouble, 2 * kExpPoints + 1> result;
    for (int i = -kExpPoints; i <= kExpPoints; ++i) {
      const double x = static_cast<double>(i) / kGrid;
      DoubleDouble sum = 1.0;
      for (int n = 30; n >= 1; --n) sum = 1.0 + (x * sum) / static_cast<double>(n);
      result[static_cast<std::size_t>(i + kExpPoints)] = sum;
    }
    return result;
  }();
  return table[static_cast<std::size_t>(j + kExpPoints)];
}

// e^r 2^k for |r| <= 0.36.
DoubleDouble exp_reduced(DoubleDouble r, double k) {
  const auto [j, rest] = nearest_grid_point(r);
  const DoubleDouble grid = exp_of_grid_point(j);
  const DoubleDouble result = scaled(grid + grid * small_expm1(rest), static_cast<int>(k));
  return std::isinf(result.high) ? DoubleDouble(result.high) : result;
}

bool exp_overflows(double x) { return x > 710.0; }
bool exp_underflows(double x) { return x < -746.0; }

// ---------------------------------------------------------------------------------------------
// log

// 2 atanh(t) = log((1+t)/(1-t)) for |t| <= 2^-7.
DoubleDouble small_log_ratio(DoubleDouble t) {
  static const std::array<DoubleDouble, 4> c = {1.0, DoubleDouble(1.0) / 3.0,
                                                DoubleDouble(1.0) / 5.0, DoubleDouble(1.0) / 7.0};
  const DoubleDouble z = t * t;
  const double tail =
      1.0 / 9.0 + z.high * (1.0 / 11.0 + z.high * (1.0 / 13.0 + z.high * (1.0 / 15.0)));
  DoubleDouble sum = c[3] + z.high * tail;
  for (std::size_t n = 2; n >= 1; --n) sum = c[n] + z * sum;
  return scaled(t + t * (z * sum), 1);
}

constexpr int kFirstLogPoint = 45;  // kGrid / sqrt(2)
constexpr int kLastLogPoint = 91;   // kGrid * sqrt(2)

// log(j/kGrid).
DoubleDouble log_of_grid_point(int j) {
  static const auto table = [] {
    std::array<DoubleDouble, kLastLogPoint - kFirstLogPoint + 1> result;
    for (int i = kFirstLogPoint; i <= kLastLogPoint; ++i) {
      const DoubleDouble t = DoubleDouble(i - kGrid) / static_cast<double>(i + kGrid);
      const DoubleDouble z = t * t;
      DoubleDouble sum = 0.0;
      for (int n = 51; n >= 3; n -= 2) sum = z * (1.0 / DoubleDouble(n) + sum);
      result[static_cast<std::size_t>(i - kFirstLogPoint)] = scaled(t + t * sum, 1);
    }
    return result;
  }();
  return table[static_cast<std::size_t>(j - kFirstLogPoint)];
}

// x = 2^exponent m with m in [sqrt(1/2), sqrt(2)), and log m within 2^-104. Whoever multiplies a
// logarithm keeps the two parts: the exponent is exact.
struct SplitLog {
  int exponent;
  DoubleDouble log_m;
};

SplitLog split_log(DoubleDouble x) {
  assert(x.high > 0.0 && std::isfinite(x.high));
  constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;
  int exponent = 0;
  if (std::frexp(x.high, &exponent) < kSqrtHalf) --exponent;
  const DoubleDouble m = scaled(x, -exponent);
  const int j = static_cast<int>(std::nearbyint(m.high * kGrid));
  const double point = static_cast<double>(j) / kGrid;
  return {exponent, log_of_grid_point(j) + small_log_ratio((m - point) / (m + point))};
}

// ---------------------------------------------------------------------------------------------
// cos and sin

// sin(x) and 1 - cos(x), each with a small relative error.
struct SmallAngle {
  DoubleDouble sin, versine;
};

// For |x| <= 2^-7.
SmallAngle small_angle(DoubleDouble x) {
  static const auto c = inverse_factorials<13>();
  const DoubleDouble z = x * x;
  const double w = z.high;
  const double sin_tail = -c[7].high + w * (c[9].high - w * c[11].high);
  const DoubleDouble sin_sum = z * (c[5] + w * sin_tail) - c[3];
  const double cos_tail = c[6].high + w * (-c[8].high + w * (c[10].high - w * c[12].high));
  const DoubleDouble cos_sum = c[2] + z * (w * cos_tail - c[4]);
  return {x + x * (z * sin_sum), z * cos_sum};
}

constexpr std::size_t kAnglePoints = 52;  // kGrid pi/4, and one for rounding

// cos and sin of j/kGrid.
const CosSin& cos_sin_of_grid_point(std::size_t j) {
  static const auto table = [] {
    std::array<CosSin, kAnglePoints> result;
    for (std::size_t i = 0; i < kAnglePoints; ++i) {
      const double x = static_cast<double>(i) / kGrid;
      DoubleDouble cos_sum = 1.0, sin_sum = 1.0;
      for (int n = 28; n >= 2; n -= 2) {
        cos_sum = 1.0 - (x * x * cos_sum) / static_cast<double>(n * (n - 1));
        sin_sum = 1.0 - (x * x * sin_sum) / static_cast<double>(n * (n + 1));
      }
      result[i] = {cos_sum, x * sin_sum};
    }
    return result;
  }();
  return table[j];
}

// For |r| <= pi/4 and a little.
CosSin cos_sin_reduced(DoubleDouble r) {
  const bool negative = std::signbit(r.high);
  const auto [j, rest] = nearest_grid_point(abs(r));
  const auto [sin, versine] = small_angle(rest);
  CosSin result;
  if (j == 0) {
    result = {1.0 - versine, sin};
  } else {
    const CosSin& grid = cos_sin_of_grid_point(static_cast<std::size_t>(j));
    result = {grid.cos - (grid.cos * versine + grid.sin * sin),
              grid.sin + (grid.cos * sin - grid.sin * versine)};
  }
  if (negative) result.sin = -result.sin;
  return result;
}

DoubleDouble clamped_to_one(DoubleDouble x) {
  if (DoubleDouble(1.0) < abs(x)) return std::signbit(x.high) ? -1.0 : 1.0;
  return x;
}

}  // namespace

DoubleDouble exp(DoubleDouble x) {
  if (std::isnan(x.high)) return x.high;
  if (exp_overflows(x.high)) return std::numeric_limits<double>::infinity();
  if (exp_underflows(x.high)) return 0.0;
  const double k = std::nearbyint(x.high * kOneOverLn2);
  return exp_reduced(reduced(x, k, kLn2), k);
}

DoubleDouble log(DoubleDouble x) {
  if (!(x.high > 0.0) || std::isinf(x.high)) return std::numeric_limits<double>::quiet_NaN();
  const auto [exponent, log_m] = split_log(x);
  return times_ln2(exponent) + log_m;
}

DoubleDouble rational_power(DoubleDouble base, Index numerator, Index denominator) {
  assert(denominator > 0);
  const Index divisor = std::gcd(numerator, denominator);
  const Index p = numerator / divisor, q = denominator / divisor;
  if (p == 0 || base == DoubleDouble(1.0)) return 1.0;
  if (p == 1 && q == 1) return base;
  if (p == -1 && q == 1) return 1.0 / base;

  // log(base) p/q = k ln 2 + (n ln 2 + p log m)/q with n = p exponent - k q, an integer. Only the
  // second part, below 0.36, is ever rounded; it is 0 for exact powers of two.
  const auto [exponent, log_m] = split_log(base);
  const double ratio = static_cast<double>(p) / static_cast<double>(q);
  const double k = std::nearbyint(ratio * (exponent + log_m.high * kOneOverLn2));
  if (exp_overflows(k * kLn2[0])) return std::numeric_limits<double>::infinity();
  if (exp_underflows(k * kLn2[0])) return 0.0;
  const Index n = p * exponent - static_cast<Index>(k) * q;
  const DoubleDouble rest =
      (times_ln2(static_cast<double>(n)) + log_m * static_cast<double>(p)) / static_cast<double>(q);
  return exp_reduced(rest, k);
}

DoubleDouble power(DoubleDouble base, DoubleDouble exponent) {
  if (exponent == DoubleDouble(1.0)) return base;
  const auto [two_exponent, log_m] = split_log(base);
  const double k = std::nearbyint(exponent.high * (two_exponent + log_m.high * kOneOverLn2));
  if (exp_overflows(k * kLn2[0])) return std::numeric_limits<double>::infinity();
  if (exp_underflows(k * kLn2[0])) return 0.0;
  const double e = two_exponent;
  const DoubleDouble fraction = (two_prod(exponent.high, e) - k) + exponent.low * e;
  const DoubleDouble ln2 = DoubleDouble(kLn2[0], kLn2[1]);
  return exp_reduced(fraction * ln2 + exponent * log_m, k);
}

DoubleDouble square_root(DoubleDouble x) {
  if (x.high <= 0.0) return std::sqrt(x.high);
  const double root = std::sqrt(x.high);
  return quick_two_sum(root, (x - two_prod(root, root)).high / (2.0 * root));
}

CosSin cos_sin(DoubleDouble angle) {
  assert(std::abs(angle.high) < kLargestAngle);
  const DoubleDouble size = abs(angle);
  const double turns = std::nearbyint(size.high * kTwoOverPi);
  CosSin result = cos_sin_reduced(reduced(size, turns, kHalfPi));
  const auto quadrant = static_cast<std::int64_t>(turns) & 3;
  if (quadrant & 1) result = {-result.sin, result.cos};
  if (quadrant & 2) result = {-result.cos, -result.sin};
  if (std::signbit(angle.high)) result.sin = -result.sin;
  return {clamped_to_one(result.cos), clamped_to_one(result.sin)};
}

CosSin cos_sin(double t, DoubleDouble frequency) {
  require(std::abs(t * frequency.high) < kLargestAngle, "position",
          "{} times the frequency {} must stay below 2^42", t, frequency.high);
  return cos_sin(frequency * t);
}

}  // namespace sextant
