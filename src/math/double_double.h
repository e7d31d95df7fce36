// SPDX-License-Identifier: Apache-2.0
// Arithmetic on DoubleDouble from error-free transformations (Dekker 1971; Joldes, Muller, Popescu
// 2017). With u = 2^-53 the relative error is at most 3 u^2 for a sum, 5 u^2 for a product and 10
// u^2 for a quotient. Infinities and NaN are not kept: operations on them give NaN.
#pragma once

#include <cmath>

#include "sextant/double_double.h"

namespace sextant {

// a + b without error. REQUIRES: |a| >= |b| or a == 0.
inline DoubleDouble quick_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// a + b without error.
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// a * b without error, by Veltkamp's splitting. REQUIRES: |a|, |b| < 2^996, and the error does not
// underflow: |a * b| is 0 or at least 2^-916.
inline DoubleDouble two_prod_split(double a, double b) {
  constexpr double kSplitter = 0x1p27 + 1.0;
  const double scaled_a = kSplitter * a, scaled_b = kSplitter * b;
  const double a_high = scaled_a - (scaled_a - a), b_high = scaled_b - (scaled_b - b);
  const double a_low = a - a_high, b_low = b - b_high;
  const double product = a * b;
  return {product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

// a * b without error, under the conditions above. Both routes are exact, so a machine with FMA
// gives the bits of one without.
inline DoubleDouble two_prod(double a, double b) {
#ifdef __FMA__
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
#else
  return two_prod_split(a, b);
#endif
}

inline DoubleDouble operator-(DoubleDouble a) { return {-a.high, -a.low}; }

inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble high = two_sum(a.high, b.high);
  const DoubleDouble low = two_sum(a.low, b.low);
  const DoubleDouble sum = quick_two_sum(high.high, high.low + low.high);
  return quick_two_sum(sum.high, sum.low + low.low);
}

inline DoubleDouble operator+(DoubleDouble a, double b) {
  const DoubleDouble sum = two_sum(a.high, b);
  return quick_two_sum(sum.high, sum.low + a.low);
}

inline DoubleDouble operator+(double a, DoubleDouble b) { return b + a; }
inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + (-b); }
inline DoubleDouble operator-(DoubleDouble a, double b) { return a + (-b); }
inline DoubleDouble operator-(double a, DoubleDouble b) { return (-b) + a; }

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = two_prod(a.high, b.high);
  return quick_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

inline DoubleDouble operator*(DoubleDouble a, double b) {
  const DoubleDouble product = two_prod(a.high, b);
  return quick_two_sum(product.high, product.low + a.low * b);
}

inline DoubleDouble operator*(double a, DoubleDouble b) { return b * a; }

inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.high / b.high;
  const DoubleDouble rest = a - b * first;
  const double second = rest.high / b.high;
  const double third = (rest - b * second).high / b.high;
  return quick_two_sum(first, second) + third;
}

inline DoubleDouble operator/(DoubleDouble a, double b) { return a / DoubleDouble(b); }
inline DoubleDouble operator/(double a, DoubleDouble b) { return DoubleDouble(a) / b; }

inline bool operator<(DoubleDouble a, DoubleDouble b) {
  return a.high < b.high || (a.high == b.high && a.low < b.low);
}
inline bool operator>(DoubleDouble a, DoubleDouble b) { return b < a; }
inline bool operator<=(DoubleDouble a, DoubleDouble b) { return a < b || a == b; }
inline bool operator>=(DoubleDouble a, DoubleDouble b) { return b <= a; }

inline DoubleDouble abs(DoubleDouble a) { return std::signbit(a.high) ? -a : a; }

// a * 2^exponent; exact unless it underflows.
inline DoubleDouble scaled(DoubleDouble a, int exponent) {
  return {std::ldexp(a.high, exponent), std::ldexp(a.low, exponent)};
}

}  // namespace sextant
