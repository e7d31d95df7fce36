// SPDX-License-Identifier: Apache-2.0
// The rows of an input table along training, and what the distances between them do.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "sextant/geometry.h"

namespace sextant {

struct RowHistory {
  std::vector<Index> steps = {};  // rising
  std::vector<Matrix> rows = {};  // [positions, dim] after each of them
};
// What a trial with keep_rows leaves in its folder. Throws kMalformed where the two files do not
// belong together, and as read_npy() does.
RowHistory read_row_history(const std::filesystem::path& folder);

// Euclidean distances after each step.
std::vector<DistanceMatrix> distance_history(const RowHistory& history);

double least_distance(const DistanceMatrix& distances);  // of two different positions; 0 of none

// Where a curve is least.
struct TurningPoint {
  Index step = 0;  // the first one with the least value
  double first = 0.0, least = 0.0, last = 0.0;
  // Neither the first nor the last point is the least one: the curve falls and rises again.
  bool turns() const { return least < first && least < last; }
};
// REQUIRES: as many values as steps, at least one.
TurningPoint turning_point(std::span<const Index> steps, std::span<const double> values);

// Pairs of entries that stand in one order in `target` and in the other in `candidate`, among those
// that are equal in neither: Kendall's discordant pairs. Cost O(size^2).
struct OrderCount {
  Index discordant = 0, comparable = 0;
  double share() const;  // 0 where nothing can be compared
};
OrderCount order_violations(std::span<const double> target, std::span<const double> candidate);

// How often each distance turns round: changes of sign between differences of snapshots that follow
// each other, those of 0 left out. In the order of DistanceMatrix::values().
std::vector<Index> sign_changes(std::span<const DistanceMatrix> history);

}  // namespace sextant
