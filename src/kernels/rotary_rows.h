// SPDX-License-Identifier: Apache-2.0
// The inner loop of a rotary table: one rotated start, many small steps.
#pragma once

#include <functional>
#include <span>

#include "sextant/matrix.h"

namespace sextant {

// Row r, pair j is start_j * step_rj as complex numbers, in double, then rounded to float.
struct RotaryRows {
  std::span<const double> start_cos, start_sin;  // [pairs]
  std::span<const double> step_cos, step_sin;    // [rows, pairs]
  std::span<const double> cos_error, sin_error;  // [pairs], bounds on the absolute error
  float* cos = nullptr;                          // first row; null: not wanted
  float* sin = nullptr;
  Index stride = 0;  // from a row to the next; negative where rows run backwards
};

// Writes all rows, and calls open(row, pair) after each value for which the error bound does not
// settle the rounding to float. Multiplies and adds are separate operations on every machine, so
// the values are the same on all of them.
void fill_rotary_rows(const RotaryRows& rows, const std::function<void(Index, Index)>& open);

// (cos, sin) <- (cos, sin) * (by_cos, by_sin), pair by pair as complex numbers, under the same rule
// for bits. REQUIRES: as many entries behind each pointer.
void rotate_pairs(std::span<double> cos, std::span<double> sin, const double* by_cos,
                  const double* by_sin);

}  // namespace sextant
