// SPDX-License-Identifier: Apache-2.0
// An unevaluated sum of two doubles: about 106 bits.
#pragma once

namespace sextant {

// high + low with |low| <= ulp(high)/2. A frequency needs it: at position ten million a double
// frequency is already wrong in the last place of a float cosine. Arithmetic is private
// (src/math/double_double.h).
struct DoubleDouble {
  double high = 0.0;
  double low = 0.0;

  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double value) : high(value) {}  // NOLINT(google-explicit-constructor)
  constexpr DoubleDouble(double h, double l) : high(h), low(l) {}

  friend constexpr bool operator==(const DoubleDouble&, const DoubleDouble&) = default;
};

}  // namespace sextant
