// SPDX-License-Identifier: Apache-2.0
#include "geometry/metric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace sextant {
namespace {

// Roots of counts, [n, types].
SparseColumns roots_of(const std::vector<std::vector<double>>& counts) {
  SparseColumns result;
  result.rows = static_cast<Index>(counts.size());
  for (std::size_t v = 0; v < counts.front().size(); ++v) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i][v] == 0.0) continue;
      result.row.push_back(static_cast<std::uint32_t>(i));
      result.value.push_back(std::sqrt(counts[i][v]));
    }
    result.starts.push_back(result.row.size());
  }
  return result;
}

TEST(MetricDistances, AreLargestForDisjointLaws) {
  const SparseColumns roots = roots_of({{3, 1, 0, 0}, {0, 0, 2, 2}});
  const Vector sequences = {4, 4};
  const double expected[] = {std::numbers::sqrt2, std::numbers::pi, std::sqrt(std::numbers::ln2),
                             1.0};
  for (const Metric metric : kMetrics) {
    EXPECT_NEAR(metric_distances(metric, roots, sequences, 1)(0, 1),
                expected[static_cast<std::size_t>(metric)], 1e-15)
        << name(metric);
  }
}

TEST(MetricDistances, AreZeroForEqualLawsWhateverTheCounts) {
  const SparseColumns roots = roots_of({{3, 7, 1}, {3, 7, 1}, {6, 14, 2}});
  const Vector sequences = {11, 11, 22};
  for (const Metric metric : kMetrics) {
    const DistanceMatrix d = metric_distances(metric, roots, sequences, 2);
    EXPECT_EQ(d(0, 1), 0.0) << name(metric);
    EXPECT_NEAR(d(0, 2), 0.0, 1e-15) << name(metric);
  }
}

// P = (1/2, 1/2, 0), Q = (1/4, 1/4, 1/2).
TEST(MetricDistances, AreKnownForASmallPair) {
  const SparseColumns roots = roots_of({{2, 2, 0}, {1, 1, 2}});
  const Vector sequences = {4, 4};
  const double bhattacharyya = 2.0 * std::sqrt(0.125);
  EXPECT_NEAR(metric_distances(Metric::kHellinger, roots, sequences, 1)(0, 1),
              std::sqrt(2.0 - 2.0 * bhattacharyya), 1e-15);
  EXPECT_NEAR(metric_distances(Metric::kFisherRao, roots, sequences, 1)(0, 1),
              2.0 * std::acos(bhattacharyya), 1e-14);
  EXPECT_NEAR(metric_distances(Metric::kTotalVariation, roots, sequences, 1)(0, 1), 0.5, 1e-15);
  const double jsd = 0.5 * (2 * 0.5 * std::log(0.5 / 0.375)) +
                     0.5 * (2 * 0.25 * std::log(0.25 / 0.375) + 0.5 * std::log(2.0));
  EXPECT_NEAR(metric_distances(Metric::kJensenShannon, roots, sequences, 1)(0, 1), std::sqrt(jsd),
              1e-15);
}

}  // namespace
}  // namespace sextant
