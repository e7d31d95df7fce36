// SPDX-License-Identifier: Apache-2.0
// The least stress that an encoding which knows only the lag can reach.
#include "geometry/hellinger.h"
#include "geometry/target.h"

namespace sextant {

DistanceMatrix lag_means(const DistanceMatrix& distances, std::span<const Index> positions) {
  struct Mean {
    double sum = 0.0, number = 0.0;
  };
  DistanceMatrix result(distances.size());
  if (positions.empty()) return result;
  std::vector<Mean> by_lag(static_cast<std::size_t>(positions.back() - positions.front() + 1));
  const auto lag = [&](Index i, Index j) {
    return static_cast<std::size_t>(positions[static_cast<std::size_t>(j)] -
                                    positions[static_cast<std::size_t>(i)]);
  };
  for (Index i = 0; i < distances.size(); ++i) {
    for (Index j = i + 1; j < distances.size(); ++j) {
      by_lag[lag(i, j)].sum += distances(i, j);
      by_lag[lag(i, j)].number += 1.0;
    }
  }
  auto out = result.values().begin();
  for (Index i = 0; i < distances.size(); ++i) {
    for (Index j = i + 1; j < distances.size(); ++j) {
      const Mean& mean_of_lag = by_lag[lag(i, j)];
      *out++ = mean_of_lag.sum / mean_of_lag.number;
    }
  }
  return result;
}

void add_floor(Target& target) {
  const auto floor = [&](const DistanceMatrix& distances) {
    const DistanceMatrix* const targets[] = {&distances};
    return pair_sums(targets, *distances_of(lag_means(distances, target.positions)))
        .front()
        .scaled();
  };
  target.stationary_floor_plain = floor(target.plain);
  if (!target.corrected) return;
  const Corrected& corrected = *target.corrected;
  target.stationary_floor = floor(corrected.distances);
  Vector floors, means;
  for (const DistanceMatrix& squared : corrected.squared_without) {
    floors.push_back(floor(rooted(squared)));
    means.push_back(mean(squared));
  }
  target.stationary_floor_interval = jackknife_interval(*target.stationary_floor, floors);
  target.mean_squared_interval = jackknife_interval(mean(corrected.squared), means);
}

}  // namespace sextant
