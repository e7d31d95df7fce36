// SPDX-License-Identifier: Apache-2.0
// The geometry of a corpus and its scores have the same bits for any number of ranks.
#include <gtest/gtest.h>

#include <bit>

#include "corpus/synthetic.h"
#include "geometry/score.h"
#include "support/drawn_counts.h"
#include "support/thread_ranks.h"

namespace sextant {
namespace {

PositionalCounts shared_counts() {
  const SyntheticCorpus corpus{.types = 40, .positions = 12};
  return drawn_counts(corpus.laws(), 900, 5, 5);
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(a, b, [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

void expect_same(const std::vector<DistanceMatrix>& a, const std::vector<DistanceMatrix>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].size(), b[k].size());
    EXPECT_TRUE(same_bits(a[k].values(), b[k].values())) << k;
  }
}

void expect_same(const Target& a, const Target& b) {
  EXPECT_EQ(a.positions, b.positions);
  EXPECT_TRUE(same_bits(a.reliability, b.reliability));
  EXPECT_TRUE(same_bits(a.plain.values(), b.plain.values()));
  EXPECT_TRUE(same_bits(a.eigenvalues, b.eigenvalues));
  EXPECT_TRUE(same_bits(a.null_eigenvalues, b.null_eigenvalues));
  EXPECT_EQ(a.null_largest, b.null_largest);
  EXPECT_EQ(a.ceiling, b.ceiling);
  EXPECT_EQ(a.stationary_floor, b.stationary_floor);
  expect_same(a.null, b.null);
  expect_same(a.plain_without, b.plain_without);
  ASSERT_EQ(a.corrected.has_value(), b.corrected.has_value());
  if (!a.corrected) return;
  EXPECT_TRUE(same_bits(a.corrected->squared.values(), b.corrected->squared.values()));
  EXPECT_TRUE(same_bits(a.corrected->eigenvalues, b.corrected->eigenvalues));
  expect_same(a.corrected->squared_without, b.corrected->squared_without);
}

TEST(GeometryByRanks, ATargetHasTheBitsOfOneProcess) {
  const PositionalCounts counts = shared_counts();
  for (const Metric metric : {Metric::kHellinger, Metric::kTotalVariation}) {
    const Target one = make_target(counts, {.metric = metric, .splits = 7});
    ASSERT_TRUE(one.corrected);
    for (const Index size : {2, 3, 8}) {
      ThreadRanks(size).run([&](Communicator& ranks) {
        expect_same(one, make_target(counts, {.metric = metric, .splits = 7, .ranks = &ranks}));
      });
    }
  }
}

TEST(GeometryByRanks, ScoresHaveTheBitsOfOneProcess) {
  const PositionalCounts counts = shared_counts();
  const std::vector<std::string> specs = {"rope", "mds(rank=2)", "smacof(rank=3)", "alibi",
                                          "smacof(rank=99)"};  // the last cannot be fitted
  const auto scored = [&](Communicator& ranks) {
    const Target target = make_target(counts, {.splits = 4, .ranks = &ranks});
    const Candidates candidates = make_candidates(
        specs, target,
        {.dim = 8, .heads = 2, .train = 12, .length = 12, .threads = 1, .ranks = &ranks});
    Vector numbers;
    std::string names;
    for (const ScoreRow& row : score(target, candidates, 1, ranks).rows) {
      names += row.candidate->encoding + row.candidate->error + ";";
      for (const auto& value : {row.stress_raw, row.stress_corrected, row.stress_null, row.spearman,
                                row.pearson, row.procrustes, row.negative_mass})
        numbers.push_back(value.value_or(-1.0));
    }
    for (const RankRow& row : rank_profile(target, 8, 1, ranks)) {
      numbers.push_back(row.mds.raw());
      numbers.push_back(row.smacof.raw());
    }
    const Fit fitted = fit(target, {.smacof = true, .rank = 2, .ranks = &ranks});
    numbers.push_back(fitted.stress_raw);
    numbers.insert(numbers.end(), fitted.points.values().begin(), fitted.points.values().end());
    numbers.insert(numbers.end(), fitted.eigenvalues.begin(), fitted.eigenvalues.end());
    return std::pair(names, numbers);
  };
  const auto [names, numbers] = scored(alone());
  for (const Index size : {2, 3}) {
    ThreadRanks(size).run([&](Communicator& ranks) {
      const auto [own_names, own_numbers] = scored(ranks);
      EXPECT_EQ(own_names, names);
      EXPECT_TRUE(same_bits(own_numbers, numbers));
    });
  }
}

}  // namespace
}  // namespace sextant
