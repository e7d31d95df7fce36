// SPDX-License-Identifier: Apache-2.0
#include "geometry/comparison.h"

#include <algorithm>

#include "base/check.h"

namespace sextant {
namespace {

// The distances among `wanted`, which are all among `positions`.
DistanceMatrix restricted(const DistanceMatrix& distances, const std::vector<Index>& positions,
                          const std::vector<Index>& wanted) {
  std::vector<Index> place;
  place.reserve(wanted.size());
  for (const Index i : wanted)
    place.push_back(std::ranges::lower_bound(positions, i) - positions.begin());
  DistanceMatrix result(static_cast<Index>(wanted.size()));
  auto out = result.values().begin();
  for (std::size_t i = 0; i < place.size(); ++i)
    for (std::size_t j = i + 1; j < place.size(); ++j) *out++ = distances(place[i], place[j]);
  return result;
}

}  // namespace

Comparison compare(const Target& a, const Target& b) {
  std::vector<Index> common;
  std::ranges::set_intersection(a.positions, b.positions, std::back_inserter(common));
  require(common.size() >= 3, "--against", "the corpora share {} positions; at least 3 are needed",
          common.size());
  Comparison result;
  result.corrected = a.corrected.has_value() && b.corrected.has_value();
  const DistanceMatrix first =
      restricted(result.corrected ? a.corrected->distances : a.plain, a.positions, common);
  const DistanceMatrix second =
      restricted(result.corrected ? b.corrected->distances : b.plain, b.positions, common);
  result.spearman = spearman(first.values(), second.values());
  const DistanceMatrix* const targets[] = {&first};
  result.stress = pair_sums(targets, *distances_of(second)).front().scaled();
  if (a.ceiling && b.ceiling) result.noise = std::max(*a.ceiling, *b.ceiling);
  return result;
}

}  // namespace sextant
