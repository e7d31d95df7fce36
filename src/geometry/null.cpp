// SPDX-License-Identifier: Apache-2.0
#include "geometry/null.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/parallel.h"
#include "geometry/distance_values.h"
#include "geometry/hellinger.h"

namespace sextant {

SparseColumns shuffled_roots(const PositionalCounts& counts, std::uint32_t layer,
                             std::span<const Index> positions) {
  const std::vector<std::uint32_t> row_of = renumbered(counts.options.positions, positions);
  SparseColumns result;
  result.rows = static_cast<Index>(positions.size());
  std::optional<TokenId> token;
  counts.shuffled.for_each([&](const Cell& cell) {
    if (cell.layer != layer || row_of[cell.position] == kLeftOut) return;
    if (token && *token != cell.token) result.starts.push_back(result.row.size());
    token = cell.token;
    result.row.push_back(row_of[cell.position]);
    result.value.push_back(std::sqrt(static_cast<double>(cell.count)));
  });
  if (token) result.starts.push_back(result.row.size());
  return result;
}

ShuffledNull shuffled_null(const PositionalCounts& counts, std::span<const Index> positions,
                           std::span<const double> sequences, Index threads, Communicator& ranks) {
  ShuffledNull result;
  const Index shuffles = counts.options.shuffles, n = static_cast<Index>(positions.size());
  // Squared distances, then the spectrum.
  std::vector<Vector> numbers = spread(ranks, shuffles, threads, [&](Index r) {
    const SparseColumns roots = shuffled_roots(counts, static_cast<std::uint32_t>(r), positions);
    const DistanceMatrix squared = squared_hellinger(roots, sequences, 1);
    const Vector spectrum = eigenvalues(gram_of_squared(squared));
    Vector both = values_of(squared);
    both.insert(both.end(), spectrum.begin(), spectrum.end());
    return both;
  });
  result.eigenvalues.assign(shuffles > 0 ? positions.size() : 0, 0.0);
  for (Vector& both : numbers) {
    const auto pairs = static_cast<std::size_t>(DistanceMatrix::pairs(n));
    result.squared.push_back(distances_from(n, std::span(both).first(pairs)));
    const Vector spectrum(both.begin() + DistanceMatrix::pairs(n), both.end());
    both = Vector();
    for (std::size_t k = 0; k < spectrum.size(); ++k)
      result.eigenvalues[k] += spectrum[k] / static_cast<double>(shuffles);
    if (!spectrum.empty()) result.largest = std::max(result.largest, spectrum.front());
  }
  return result;
}

DistanceMatrix analytic_null_squared(const BlockCells& cells, Index threads) {
  const Index n = cells.positions();
  Vector sequences(static_cast<std::size_t>(n));
  double total = 0.0;
  for (Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    sequences[k] = static_cast<double>(cells.sequences(i, cells.occupied()));
    total += sequences[k];
  }
  // Tokens with equal pooled counts contribute alike: one column for each different count.
  std::map<std::int64_t, double> tokens_with;
  for (Index token = 0; token < cells.tokens(); ++token) {
    std::int64_t pooled = 0;
    for (std::size_t cell = cells.token_start(token); cell < cells.token_start(token + 1); ++cell)
      pooled += cells.count(cell, cells.occupied());
    tokens_with[pooled] += 1.0;
  }
  std::vector<std::pair<std::int64_t, double>> classes(tokens_with.begin(), tokens_with.end());
  SparseColumns roots;
  roots.rows = n;
  roots.value.resize(classes.size() * static_cast<std::size_t>(n));
  for (std::size_t c = 0; c < classes.size(); ++c) {
    for (Index i = 0; i < n; ++i) roots.row.push_back(static_cast<std::uint32_t>(i));
    roots.starts.push_back(roots.row.size());
  }
  parallel_for(static_cast<Index>(classes.size()), threads, [&](Index first, Index last) {
    for (Index c = first; c < last; ++c) {
      const auto [pooled, tokens] = classes[static_cast<std::size_t>(c)];
      const double probability = static_cast<double>(pooled) / total, weight = std::sqrt(tokens);
      double* const out = roots.value.data() + c * n;
      for (std::size_t i = 0; i < sequences.size(); ++i) {
        const bool same = i > 0 && sequences[i] == sequences[i - 1];
        out[i] = same ? out[i - 1] : weight * mean_root_poisson(sequences[i] * probability);
      }
    }
  });
  return squared_hellinger_of_gram(gram(roots, threads), sequences);
}

}  // namespace sextant
