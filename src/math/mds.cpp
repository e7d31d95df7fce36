// SPDX-License-Identifier: Apache-2.0
// Gram matrices of distances, classical scaling, and effective ranks.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "math/centring.h"
#include "math/memory_plan.h"
#include "sextant/geometry.h"

namespace sextant {

Matrix gram_of_squared(const DistanceMatrix& squared) {
  const Index n = squared.size();
  if (n == 0) return {};
  refuse_beyond_memory("gram", bytes_of(n, n));
  Matrix b(n, n);
  auto next = squared.values().begin();
  for (Index i = 0; i < n; ++i)
    for (Index j = i + 1; j < n; ++j) b(i, j) = b(j, i) = -0.5 * *next++;
  centre_both_sides(b);
  return b;
}

Embedding classical_mds(const Matrix& gram, Index rank, Index threads) {
  require(rank >= 0, "mds", "a rank of {} is negative", rank);
  const Index n = gram.rows(), found = std::min(rank, n);
  Embedding embedding;
  embedding.points = Matrix(n, rank);
  if (found == 0) return embedding;
  Spectrum spectrum = top_eigenpairs(gram, found, threads);
  for (Index k = 0; k < found; ++k) {
    const double length = std::sqrt(std::max(spectrum.values[static_cast<std::size_t>(k)], 0.0));
    for (Index i = 0; i < n; ++i) embedding.points(i, k) = length * spectrum.vectors(i, k);
  }
  embedding.eigenvalues = std::move(spectrum.values);
  return embedding;
}

Ranks ranks(std::span<const double> eigenvalues) {
  Vector values(eigenvalues.begin(), eigenvalues.end());
  std::sort(values.begin(), values.end(), std::greater<>());
  Ranks result;
  double trace = 0.0, squares = 0.0, negative = 0.0;
  for (const double value : values) {
    if (value <= 0.0) {
      negative -= value;
      continue;
    }
    trace += value;
    squares += value * value;
    if (value > 1e-9 * values.front()) ++result.numerical;
  }
  if (trace + negative > 0.0) result.negative_mass = negative / (trace + negative);
  if (trace == 0.0) return result;
  double entropy = 0.0, held = 0.0;
  for (std::size_t k = 0; k < values.size() && values[k] > 0.0; ++k) {
    const double share = values[k] / trace;
    entropy -= share * std::log(share);
    if (held < 0.90 * trace * (1.0 - 1e-12)) ++result.share90;
    if (held < 0.99 * trace * (1.0 - 1e-12)) ++result.share99;
    held += values[k];
  }
  result.entropy = std::exp(entropy);
  result.participation = trace * trace / squares;
  return result;
}

}  // namespace sextant
