// SPDX-License-Identifier: Apache-2.0
#include "geometry/metric.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/parallel.h"
#include "geometry/hellinger.h"
#include "geometry/sparse_rows.h"

namespace sextant {
namespace {

constexpr double kRounding = 1e-12;  // of a sum of probabilities

// Both divergences are sums over the tokens of one law once the other is spread over an array: what
// only the spread law has is what remains of its total mass 1.
double jensen_shannon(std::span<const double> p, const SparseRows& rows, std::size_t j,
                      double weight) {
  double shared = 0.0, sum = 0.0;
  for (std::size_t e = rows.starts[j]; e < rows.starts[j + 1]; ++e) {
    const double q = rows.value[e] * rows.value[e] * weight, other = p[rows.token[e]];
    if (other == 0.0) {
      sum += q * std::numbers::ln2;
    } else {
      const double middle = 0.5 * (other + q);
      sum += other * std::log(other / middle) + q * std::log(q / middle);
      shared += other;
    }
  }
  const double rest = 1.0 - shared;
  if (rest > kRounding) sum += rest * std::numbers::ln2;
  return std::sqrt(std::max(0.0, 0.5 * sum));
}

double total_variation(std::span<const double> p, const SparseRows& rows, std::size_t j,
                       double weight) {
  double shared = 0.0;
  for (std::size_t e = rows.starts[j]; e < rows.starts[j + 1]; ++e)
    shared += std::min(p[rows.token[e]], rows.value[e] * rows.value[e] * weight);
  const double rest = 1.0 - shared;
  return rest > kRounding ? rest : 0.0;
}

}  // namespace

std::string_view name(Metric metric) {
  constexpr std::string_view kNames[] = {"hellinger", "fisher-rao", "jensen-shannon",
                                         "total-variation"};
  return kNames[static_cast<std::size_t>(metric)];
}

double squared_arc(double squared_hellinger) {
  // 2 arccos(1 - d2/2) without cancellation.
  const double arc = 4.0 * std::asin(std::min(1.0, 0.5 * std::sqrt(squared_hellinger)));
  return arc * arc;
}

DistanceMatrix metric_distances(Metric metric, const SparseColumns& roots,
                                std::span<const double> sequences, Index threads) {
  if (metric == Metric::kHellinger) return rooted(squared_hellinger(roots, sequences, threads));
  if (metric == Metric::kFisherRao) {
    DistanceMatrix squared = squared_hellinger(roots, sequences, threads);
    for (double& value : squared.values()) value = squared_arc(value);
    return rooted(squared);
  }
  const SparseRows rows = by_rows(roots);
  DistanceMatrix result(roots.rows);
  parallel_for(roots.rows, threads, [&](Index first, Index last) {
    Vector p(static_cast<std::size_t>(roots.columns()));
    for (Index i = first; i < last; ++i) {
      const auto k = static_cast<std::size_t>(i);
      for (std::size_t e = rows.starts[k]; e < rows.starts[k + 1]; ++e)
        p[rows.token[e]] = rows.value[e] * rows.value[e] / sequences[k];
      for (Index j = i + 1; j < roots.rows; ++j) {
        const auto m = static_cast<std::size_t>(j);
        const double weight = 1.0 / sequences[m];
        result.values()[static_cast<std::size_t>(result.row_start(i) + j - i - 1)] =
            metric == Metric::kJensenShannon ? jensen_shannon(p, rows, m, weight)
                                             : total_variation(p, rows, m, weight);
      }
      for (std::size_t e = rows.starts[k]; e < rows.starts[k + 1]; ++e) p[rows.token[e]] = 0.0;
    }
  });
  return result;
}

}  // namespace sextant
