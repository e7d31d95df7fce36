// SPDX-License-Identifier: Apache-2.0
// What the geometry looks like when there is none: the same sequences with their tokens shuffled,
// and the expectation under equal laws in closed form.
#pragma once

#include <span>
#include <vector>

#include "base/communicator.h"
#include "geometry/block_cells.h"
#include "sextant/corpus.h"
#include "sextant/geometry.h"

namespace sextant {

// Roots of the counts of shuffle `layer` at the given positions.
SparseColumns shuffled_roots(const PositionalCounts& counts, std::uint32_t layer,
                             std::span<const Index> positions);

struct ShuffledNull {
  std::vector<DistanceMatrix> squared;  // of each shuffle
  Vector eigenvalues;                   // of B, mean over the shuffles, largest first
  double largest = 0.0;                 // the largest eigenvalue of all shuffles
};
// `sequences` holds N_i of the given positions. Without shuffles everything is empty.
ShuffledNull shuffled_null(const PositionalCounts& counts, std::span<const Index> positions,
                           std::span<const double> sequences, Index threads,
                           Communicator& ranks = alone());

// E d2(i,j) for samples of N_i and N_j sequences of one law, the one pooled over all positions:
// 2 - 2 sum_v g(N_i p_v) g(N_j p_v) / sqrt(N_i N_j), g(x) = E sqrt Poisson(x).
DistanceMatrix analytic_null_squared(const BlockCells& cells, Index threads);

}  // namespace sextant
