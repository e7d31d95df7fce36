// SPDX-License-Identifier: Apache-2.0
#include "theory/example_laws.h"

#include <cmath>

#include "base/rng.h"

namespace sextant {

Matrix random_laws(Index n, Index words, std::uint64_t seed) {
  const Rng rng(seed, 0);
  Matrix laws(n, words);
  std::uint64_t drawn = 0;
  for (Index i = 0; i < n; ++i) {
    // Exponential draws over their sum are uniform on the simplex.
    double sum = 0.0;
    for (double& value : laws.row(i)) {
      value = -std::log1p(-rng.uniform(drawn++));
      sum += value;
    }
    for (double& value : laws.row(i)) value /= sum;
  }
  return laws;
}

DistanceMatrix hellinger_of_laws(const Matrix& laws) {
  Matrix roots = laws;
  for (double& value : roots.values()) value = std::sqrt(value);
  return stored(*distances_of_rows(std::move(roots)));
}

Matrix gram_of_distances(const DistanceMatrix& distances) {
  DistanceMatrix squared = distances;
  for (double& value : squared.values()) value *= value;
  return gram_of_squared(squared);
}

double raw_stress(const DistanceMatrix& target, const Matrix& points) {
  const DistanceMatrix* const targets[] = {&target};
  return pair_sums(targets, *distances_of_rows(points)).front().raw();
}

}  // namespace sextant
