// SPDX-License-Identifier: Apache-2.0
// Correlation of paired values and of their ranks.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "math/tiles.h"
#include "sextant/geometry.h"

namespace sextant {
namespace {

// Ranks 1, 2, ...; equal values share the mean of their ranks.
// Values that differ by rounding only count as tied: distances that depend on the lag alone come
// with different last bits.
Vector mean_ranks(std::span<const double> values) {
  constexpr double kTie = 1e-12;  // relative
  std::vector<std::pair<double, std::size_t>> sorted(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) sorted[i] = {values[i], i};
  std::sort(sorted.begin(), sorted.end());
  Vector ranks(values.size());
  for (std::size_t first = 0, last = 0; first < sorted.size(); first = last) {
    const double most = sorted[first].first + kTie * std::abs(sorted[first].first);
    while (last < sorted.size() && sorted[last].first <= most) ++last;
    const double rank = 0.5 * static_cast<double>(first + 1 + last);
    for (std::size_t k = first; k < last; ++k) ranks[sorted[k].second] = rank;
  }
  return ranks;
}

void centre(Vector& x) {
  // Relative to one of them first, so that equal values become exact zeros.
  const double origin = x.front();
  for (double& value : x) value -= origin;
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
  for (double& value : x) value -= mean;
}

double correlation(Vector a, Vector b) {
  if (a.empty()) return 0.0;
  centre(a);
  centre(b);
  const double sizes = std::sqrt(dot(a, a)) * std::sqrt(dot(b, b));
  return sizes > 0.0 ? std::clamp(dot(a, b) / sizes, -1.0, 1.0) : 0.0;
}

void require_pairs(std::span<const double> a, std::span<const double> b) {
  require(a.size() == b.size(), "correlation", "{} values against {}", a.size(), b.size());
}

}  // namespace

double spearman(std::span<const double> a, std::span<const double> b) {
  require_pairs(a, b);
  return correlation(mean_ranks(a), mean_ranks(b));
}

double pearson(std::span<const double> a, std::span<const double> b) {
  require_pairs(a, b);
  return correlation(Vector(a.begin(), a.end()), Vector(b.begin(), b.end()));
}

}  // namespace sextant
