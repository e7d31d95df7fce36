// SPDX-License-Identifier: Apache-2.0
// Which actions are close to each other, and which are the same.
#pragma once

#include "sextant/matrix.h"

namespace sextant {

// Two actions are alike where their distance is at most this share of the largest norm in
// training, or of their own where they are larger: rounding, and what a model does not see.
inline constexpr double kAlike = 1e-12;

struct Neighbours {
  Vector norms;
  Vector nearest;      // distance to the nearest other point; NaN where a point is not finite
  Vector collisions;   // how many other points are alike
  Index distinct = 0;  // points that are like no earlier one
};

// Of the rows of `points`, of which the first `train` set the scale. O(n^2 columns) by products of
// matrices; where these cancel the difference is taken. Unlike distances_of_rows(), nothing is
// centred: rows that grow by many orders of magnitude would wipe out the small ones.
Neighbours neighbours(const Matrix& points, Index train);

}  // namespace sextant
