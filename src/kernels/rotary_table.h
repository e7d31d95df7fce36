// SPDX-License-Identifier: Apache-2.0
// Tables of magnitude cos(t w_j) and magnitude sin(t w_j), correctly rounded to float.
#pragma once

#include <span>

#include "sextant/double_double.h"
#include "sextant/positions.h"

namespace sextant {

// Of a count that is not negative.
inline std::size_t unsigned_size(Index n) { return static_cast<std::size_t>(n); }

// Bound on the absolute error of a product of four exact turns in double, the first of which
// carries the magnitude; to be multiplied by it. Derived in rotary_table.cpp.
inline constexpr double kRotaryErrorBound = 17 * 0x1p-53;

// magnitude cos and sin of t * frequency, computed in double-double and rounded once.
struct RotaryValue {
  float cos = 0.0f;
  float sin = 0.0f;
};
RotaryValue exact_rotary_value(double t, DoubleDouble frequency, DoubleDouble magnitude);

struct RotaryTable {
  std::span<float> cos, sin;  // [positions, frequencies] each; an empty one is not computed
};

// Each value is a function of its position and frequency alone: neither the other positions, nor
// the number of threads, nor the machine changes a bit. Position axis 0 is used.
//
// Consecutive integer positions take a fast path: four small tables of exact values are
// multiplied in double, and where the error bound leaves the rounding to float open the value is
// computed again in double-double.
void fill_rotary_table(const Positions& positions, std::span<const DoubleDouble> frequencies,
                       DoubleDouble magnitude, Index threads, const RotaryTable& table);

// The same values one by one in double-double: the reference for the fast path.
void fill_rotary_table_plain(const Positions& positions, std::span<const DoubleDouble> frequencies,
                             DoubleDouble magnitude, const RotaryTable& table);

}  // namespace sextant
