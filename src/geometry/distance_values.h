// SPDX-License-Identifier: Apache-2.0
// Distances as plain numbers and back, for the way between ranks.
#pragma once

#include <algorithm>
#include <span>

#include "sextant/geometry.h"

namespace sextant {

inline Vector values_of(const DistanceMatrix& distances) {
  return {distances.values().begin(), distances.values().end()};
}

// REQUIRES: as many values as pairs of n points.
inline DistanceMatrix distances_from(Index n, std::span<const double> values) {
  DistanceMatrix result(n);
  std::ranges::copy(values, result.values().begin());
  return result;
}

// Frees each list of values as soon as it is taken.
inline std::vector<DistanceMatrix> all_distances_from(Index n, std::vector<Vector> lists) {
  std::vector<DistanceMatrix> result;
  for (Vector& values : lists) {
    result.push_back(distances_from(n, values));
    values = Vector();
  }
  return result;
}

}  // namespace sextant
