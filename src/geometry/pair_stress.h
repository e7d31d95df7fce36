// SPDX-License-Identifier: Apache-2.0
// The stress of candidates against Hellinger distances that are never stored: all pairs in tiles,
// or a sample of them with its standard error.
#pragma once

#include <span>
#include <vector>

#include "base/communicator.h"
#include "geometry/pair_plan.h"
#include "geometry/position_rows.h"
#include "sextant/geometry.h"

namespace sextant {

struct PairStress {
  double raw = 0.0, scaled = 0.0, scale = 0.0;
  double raw_error = 0.0, scaled_error = 0.0;  // standard errors by the delta method; 0: all pairs
};

struct PairStresses {
  std::vector<PairStress> rows;  // one a candidate
  Index used = 0;                // pairs that were compared, with repetitions
};

// Bytes that pair_stress() takes on one of `ranks` ranks at most, beside `rows`.
double pair_stress_bytes(const PositionRows& rows, Index ranks, Index candidates,
                         const PairPlan& plan, Index threads);

// Collective, the same bits for any number of ranks and threads. REQUIRES: `rows` has the blocks of
// the plan; candidates have the size of `rows`.
PairStresses pair_stress(const PositionRows& rows, Communicator& ranks,
                         std::span<const Distances* const> candidates, const PairPlan& plan,
                         std::uint64_t seed, Index threads);

}  // namespace sextant
