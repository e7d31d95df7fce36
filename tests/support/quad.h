// SPDX-License-Identifier: Apache-2.0
// The reference for accuracy: 113-bit arithmetic of libquadmath, wide enough to judge the 106 bits
// of a double-double.
#pragma once

#include <quadmath.h>

#include <algorithm>

#include "sextant/double_double.h"

namespace sextant {

__extension__ typedef __float128 Quad;

inline Quad quad(DoubleDouble x) { return static_cast<Quad>(x.high) + static_cast<Quad>(x.low); }

// The frequency base^(numerator/denominator), not rounded on the way.
inline Quad quad_power(double base, double numerator, double denominator) {
  return powq(static_cast<Quad>(base),
              static_cast<Quad>(numerator) / static_cast<Quad>(denominator));
}

// |x - exact| / |exact|, or |x| where the exact value is 0.
inline double relative_error(DoubleDouble x, Quad exact) {
  const Quad error = fabsq(quad(x) - exact);
  return static_cast<double>(exact == 0 ? error : error / fabsq(exact));
}

inline double absolute_error(DoubleDouble x, Quad exact) {
  return static_cast<double>(fabsq(quad(x) - exact));
}

// An error in units of the last place of `exact`, in a format with `precision` bits whose smallest
// normal value is 2^min_exponent.
inline double ulps(Quad error, Quad exact, int precision, int min_exponent) {
  int exponent = 0;
  frexpq(exact, &exponent);
  const int unit = std::max(exponent - 1, min_exponent) - (precision - 1);
  return static_cast<double>(ldexpq(fabsq(error), -unit));
}

}  // namespace sextant
