// SPDX-License-Identifier: Apache-2.0
// How close two rows of the sinusoidal table come: |p_s - p_t|^2 = 2 sum_k (1 - cos(w_k lag)) with
// w_k = 10000^(-2k/d), a function of the lag s - t alone.
#pragma once

#include <vector>

#include "sextant/double_double.h"
#include "sextant/matrix.h"

namespace sextant {

struct NearestRepeat {
  Index lag = 0;
  double distance = 0.0;
  double rounding = 0.0;  // |swept - exact| of the squared distance at this lag
};

// The distance of two rows `lag` apart, good to 1e-15 of the norm. REQUIRES: dim is even.
double sinusoidal_distance(Index dim, Index lag);

// The lag in first..last of the least distance, the smallest one if several tie. Every lag is
// looked at: cosines of a block come from those of its start and of the lags within it, so that
// no error accumulates. REQUIRES: dim is even, 1 <= first <= last.
NearestRepeat nearest_repeat(Index dim, Index first, Index last);
// The same for waves of other frequencies. REQUIRES: lags times frequencies stay below 2^42.
NearestRepeat nearest_repeat(const std::vector<DoubleDouble>& frequencies, Index first, Index last);

}  // namespace sextant
