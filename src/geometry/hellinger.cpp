// SPDX-License-Identifier: Apache-2.0
#include "geometry/hellinger.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.h"
#include "geometry/sparse_rows.h"

namespace sextant {
DistanceMatrix squared_hellinger_of_gram(const Matrix& gram, std::span<const double> sequences) {
  const Index n = gram.rows();
  DistanceMatrix squared(n);
  Vector weight(sequences.size());
  std::ranges::transform(sequences, weight.begin(), [](double s) { return 1.0 / std::sqrt(s); });
  auto out = squared.values().begin();
  for (Index i = 0; i < n; ++i) {
    const double wi = 2.0 * weight[static_cast<std::size_t>(i)];
    for (Index j = i + 1; j < n; ++j)
      *out++ = std::max(0.0, 2.0 - wi * weight[static_cast<std::size_t>(j)] * gram(i, j));
  }
  return squared;
}

DistanceMatrix squared_hellinger(const SparseColumns& roots, std::span<const double> sequences,
                                 Index threads) {
  DistanceMatrix squared = squared_hellinger_of_gram(gram(roots, threads), sequences);
  const auto close = [](double d2) { return d2 < kCloseSquared; };
  if (std::ranges::none_of(squared.values(), close)) return squared;
  const SparseRows rows = by_rows(roots);
  parallel_for(squared.size(), threads, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      for (Index j = i + 1; j < squared.size(); ++j) {
        double& d2 = squared.values()[static_cast<std::size_t>(squared.row_start(i) + j - i - 1)];
        const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
        if (close(d2))
          d2 = squared_difference(rows, a, 1.0 / std::sqrt(sequences[a]), rows, b,
                                  1.0 / std::sqrt(sequences[b]));
      }
    }
  });
  return squared;
}

DistanceMatrix rooted(const DistanceMatrix& squared) {
  DistanceMatrix result(squared.size());
  std::ranges::transform(squared.values(), result.values().begin(),
                         [](double d2) { return std::sqrt(std::max(d2, 0.0)); });
  return result;
}

DistanceMatrix squares(const DistanceMatrix& distances) {
  DistanceMatrix result(distances.size());
  std::ranges::transform(distances.values(), result.values().begin(),
                         [](double d) { return d * d; });
  return result;
}

double mean(const DistanceMatrix& distances) {
  const auto values = distances.values();
  if (values.empty()) return 0.0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace sextant
