// SPDX-License-Identifier: Apache-2.0
// Stress without stored distances: against the score of a small corpus, and samples against all
// pairs.
#include "geometry/pair_stress.h"

#include <gtest/gtest.h>

#include <cmath>
#include <mutex>

#include "geometry/candidate.h"
#include "measure/made_counts.h"
#include "support/expect_error.h"
#include "support/made_counts.h"
#include "support/thread_ranks.h"

namespace sextant {
namespace {

const std::vector<std::string> kSpecs = {"rope", "sinusoidal", "alibi"};

Candidates candidates_for(Index n) {
  std::vector<Index> positions;
  for (Index i = 0; i < n; ++i) positions.push_back(i);
  return unstored_candidates(kSpecs, positions, {.train = n, .length = n});
}

PairStresses stresses(const PositionalCounts& counts, const Candidates& candidates, Index most,
                      std::uint64_t seed = 1, Communicator& ranks = alone(), Index threads = 1) {
  const PairPlan plan = plan_pairs(counts.options.positions, most);
  const PositionRows rows(cells_of(counts), sequences_by_position(counts), plan.blocks, ranks);
  std::vector<const Distances*> distances;
  for (const Candidate& candidate : candidates.list) distances.push_back(candidate.distances.get());
  return pair_stress(rows, ranks, distances, plan, seed, threads);
}

TEST(PairStress, OverAllPairsIsThatOfStoredDistances) {
  const PositionalCounts counts = made_drifting_counts(150, 300).counts;
  const Candidates candidates = candidates_for(150);
  ASSERT_EQ(candidates.list.size(), 5U);  // alibi twice, equidistant
  const PairStresses streamed = stresses(counts, candidates, 1000000);
  EXPECT_EQ(streamed.used, 150 * 149 / 2);
  const Target target = make_target(counts, {.splits = 1, .intervals = false});
  ASSERT_EQ(target.positions.size(), 150U);
  const DistanceMatrix* const targets[] = {&target.plain};
  for (std::size_t c = 0; c < candidates.list.size(); ++c) {
    const PairSums sums = pair_sums(targets, *candidates.list[c].distances).front();
    EXPECT_NEAR(streamed.rows[c].raw, sums.raw(), 1e-12 * std::max(1.0, sums.raw()));
    EXPECT_NEAR(streamed.rows[c].scaled, sums.scaled(), 1e-12);
    EXPECT_NEAR(streamed.rows[c].scale, sums.scale(), 1e-12 * sums.scale());
    EXPECT_EQ(streamed.rows[c].raw_error, 0.0);
  }
}

// 130 positions with 40 tokens each: blocks of one or two rows.
TEST(PairStress, TakesTwoOpenBlocksForEachThreadAndThreeCopiesOfOtherRows) {
  const PositionalCounts counts = made_counts(130, 40, [](Index, Index) -> Index { return 1; });
  const PairPlan plan = plan_pairs(130, 1000000);
  const PositionRows rows(cells_of(counts), sequences_by_position(counts), plan.blocks, alone());
  const auto bytes = [&](Index ranks, Index threads) {
    return pair_stress_bytes(rows, ranks, 3, plan, threads);
  };
  const double thread = 12.0 * 2.0 * 80.0 + 16.0 * 4.0 + 8.0 * 6.0 + 8.0 * 40.0;
  EXPECT_EQ(bytes(1, 5) - bytes(1, 1), 4.0 * thread);
  EXPECT_EQ(bytes(2, 1) - bytes(1, 1), 3.0 * (130.0 * 40.0 + 8.0 * 131.0));
  EXPECT_GT(bytes(1, 1), thread);
}

TEST(PairStress, OfASampleIsWithinItsError) {
  const PositionalCounts counts = made_drifting_counts(400, 300).counts;
  const Candidates candidates = candidates_for(400);
  const PairStresses all = stresses(counts, candidates, 1000000);
  double squares = 0.0;
  int numbers = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const PairStresses sample = stresses(counts, candidates, 4000, seed);
    EXPECT_NEAR(static_cast<double>(sample.used), 4000.0, 400.0);
    for (std::size_t c = 0; c < candidates.list.size(); ++c) {
      const PairStress &s = sample.rows[c], &truth = all.rows[c];
      EXPECT_GT(s.scaled_error, 0.0);
      EXPECT_NEAR(s.raw, truth.raw, 4.0 * s.raw_error) << candidates.list[c].encoding << seed;
      EXPECT_NEAR(s.scaled, truth.scaled, 4.0 * s.scaled_error) << candidates.list[c].encoding;
      squares += std::pow((s.scaled - truth.scaled) / s.scaled_error, 2);
      ++numbers;
    }
  }
  // The errors are neither too small nor too large.
  EXPECT_NEAR(std::sqrt(squares / numbers), 1.0, 0.25);
}

TEST(PairStress, HasTheSameBitsForAnyNumberOfRanksAndThreads) {
  const PositionalCounts counts = made_drifting_counts(200, 150).counts;
  const Candidates candidates = candidates_for(200);
  for (const Index most : {Index{1000000}, Index{3000}}) {
    const PairStresses one = stresses(counts, candidates, most);
    const auto expect_same = [&](const PairStresses& other) {
      EXPECT_EQ(other.used, one.used);
      for (std::size_t c = 0; c < one.rows.size(); ++c) {
        EXPECT_EQ(other.rows[c].raw, one.rows[c].raw);
        EXPECT_EQ(other.rows[c].scaled, one.rows[c].scaled);
        EXPECT_EQ(other.rows[c].scaled_error, one.rows[c].scaled_error);
      }
    };
    expect_same(stresses(counts, candidates, most, 1, alone(), 3));
    for (const Index size : {2, 3, 4, 5}) {
      std::mutex mutex;
      ThreadRanks(size).run([&](Communicator& ranks) {
        const PairStresses found = stresses(counts, candidates, most, 1, ranks);
        const std::scoped_lock lock(mutex);
        expect_same(found);
      });
    }
  }
}

// Equal laws have distance 0 exactly, close ones keep their digits.
TEST(PairStress, OfEqualLawsIsZeroByDefinition) {
  const PositionalCounts counts =
      made_counts(20, 5, [](Index, Index v) -> Index { return 100 + 7 * v; });
  for (const PairStress& one : stresses(counts, candidates_for(20), 1000).rows) {
    EXPECT_EQ(one.raw, 0.0);
    EXPECT_EQ(one.scaled, 0.0);
  }
}

TEST(PlanPairs, SamplesBeyondTheBudgetWithPairsInEveryTile) {
  EXPECT_FALSE(plan_pairs(6000, 20000000).sampled());
  EXPECT_EQ(plan_pairs(6000, 20000000).blocks, 128);
  const PairPlan large = plan_pairs(32768, 20000000);
  EXPECT_TRUE(large.sampled());
  EXPECT_EQ(large.blocks, 128);
  const PairPlan few = plan_pairs(32768, 1000);
  EXPECT_LE(few.blocks * (few.blocks + 1) / 2 * 32, 1000);
  EXPECT_EQ(plan_pairs(1, 100).pairs, 0);
  EXPECT_EQ(plan_pairs(3, 100).blocks, 3);
}

TEST(UnstoredCandidates, AreNotFitted) {
  const std::vector<Index> positions = {0, 1, 2, 3};
  expect_error(ErrorCode::kUsage, "fitted to all pairs",
               [&] { unstored_candidates({"mds(rank=2)"}, positions, {.train = 4, .length = 4}); });
}

}  // namespace
}  // namespace sextant
