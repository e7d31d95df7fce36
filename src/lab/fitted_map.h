// SPDX-License-Identifier: Apache-2.0
// Coordinates of a corpus stay as they were fitted; the map from them to the width of the model is
// trained.
#pragma once

#include "lab/learned_start.h"
#include "lab/linear_rows.h"

namespace sextant {

class FittedMap final : public LinearRows {
 public:
  explicit FittedMap(const LearnedStart& start)
      : LinearRows(start, "map", first_map(params_of(start), start.shape.dim)) {}

 private:
  // Without a map the coordinates come first and zeros follow.
  static Matrix first_map(const Params& params, Index dim) {
    if (params.has("map")) return params.matrix("map");
    const Index rank = params.has("rank") ? params.integer("rank") : params.matrix("file").cols();
    Matrix result(rank, dim);
    for (Index k = 0; k < std::min(rank, dim); ++k) result(k, k) = 1.0;
    return result;
  }
};

}  // namespace sextant
