// SPDX-License-Identifier: Apache-2.0
// Cosines and sines of whole positions anywhere below 2^31, at one price.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sextant/double_double.h"
#include "sextant/matrix.h"

namespace sextant {

// A position is the sum of four steps, eight bits of it each; rotations add and exponentials
// multiply. A table of exact values per step gives every position by three products in double.
class RotaryLevels {
 public:
  // REQUIRES: decays as many as frequencies; frequencies and magnitude in the range of
  // fill_rotary_table's fast path.
  RotaryLevels(std::vector<DoubleDouble> frequencies, std::span<const double> decays,
               DoubleDouble magnitude);

  std::size_t slots() const { return frequencies_.size(); }

  // magnitude cos and sin of t w_j, as fill_rotary_table has them, for t = first .. first + count.
  // Position first + i goes to cos + i stride and sin + i stride.
  // REQUIRES: 0 <= first and first + count <= 2^31.
  void fill(std::int64_t first, Index count, float* cos, float* sin, Index stride) const;

  // The same of one position in double, to 17 * 2^-53 of the magnitude.
  void turns(std::int64_t t, std::span<double> cos, std::span<double> sin) const;

  // e^(decay_j t), relative error below 2^-50. REQUIRES: t >= 0; no result is beyond 2^1000.
  void growth(std::int64_t t, std::span<double> factor) const;

 private:
  struct Table {
    std::vector<double> cos, sin;  // [steps, slots]
    std::vector<double> growth;    // [steps, slots], empty where nothing grows
  };

  // The product over the levels from `lowest` on.
  void product(std::int64_t t, std::size_t lowest, std::span<double> cos,
               std::span<double> sin) const;
  void fill_block(std::int64_t first, Index count, float* cos, float* sin, Index stride) const;

  std::vector<DoubleDouble> frequencies_;
  DoubleDouble magnitude_;
  std::array<Table, 4> levels_;  // the last carries the magnitude
  std::vector<double> cos_error_, sin_error_, no_error_;
};

}  // namespace sextant
