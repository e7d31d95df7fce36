// SPDX-License-Identifier: Apache-2.0
// Distances without the noise of sampling, and how sure they are.
//
// The blocks of the corpus are put into two halves a and b. In
//   d2(i,j) = < sqrt P_i^a - sqrt P_j^a , sqrt P_i^b - sqrt P_j^b >
// the errors of the halves are independent, so that equal laws have expectation 0 (the crossnobis
// idea: Walther et al., Reliability of dissimilarity measures, NeuroImage 2016). The mean over
// several splits is the estimate. Without each block in turn, its halves kept, the same number
// gives the jackknife. Leaving a block out changes few counts, so that the inner products are
// corrected and not computed again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/communicator.h"
#include "geometry/block_cells.h"
#include "sextant/geometry.h"

namespace sextant {

struct Split {
  BlockSet a, b;
};

// `count` random halvings of `blocks`, the same for one seed. REQUIRES: at least two blocks.
std::vector<Split> random_splits(const BlockSet& blocks, Index count, std::uint64_t seed);

struct SplitDistances {
  DistanceMatrix squared;               // mean over the splits; negative values are kept
  std::vector<DistanceMatrix> without;  // the same without each of `blocks`; empty if not asked for
  std::vector<Index> blocks;
};

// The Bhattacharyya coefficient of each position's halves, sum_v sqrt(P_i^a(v) P_i^b(v)): 1 when
// the law is known exactly, lower the more of it is noise. Mean over the splits; 0 for a position
// of which a half is empty.
Vector split_half_reliability(const BlockCells& cells, std::span<const Split> splits, Index threads,
                              Communicator& ranks = alone());

// `root` says how the counts of each position are thinned (amplitude.h). REQUIRES: at every
// position both halves of every split have a sequence.
//
// Of several ranks each computes the inner products of its splits, then the versions without its
// blocks. Every sum has the order that one process uses, and hence the same bits.
SplitDistances split_distances(const BlockCells& cells, std::span<const Split> splits,
                               std::span<const ThinnedRoot> root, bool jackknife, Index threads,
                               Communicator& ranks = alone());

// True when a jackknife can be made: no position loses its last sequence of a half.
bool can_jackknife(const BlockCells& cells, std::span<const Split> splits);

// The plain distances without each of the occupied blocks in turn.
std::vector<DistanceMatrix> plain_squared_without_each(const BlockCells& cells, Index threads,
                                                       Communicator& ranks = alone());

}  // namespace sextant
