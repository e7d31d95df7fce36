// SPDX-License-Identifier: Apache-2.0
#include "geometry/score.h"

#include <gtest/gtest.h>

#include <cmath>

#include "corpus/synthetic.h"
#include "geometry/hellinger.h"
#include "support/drawn_counts.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

PositionalCounts drift(Index sequences, Index shuffles = 4) {
  const SyntheticCorpus corpus{.types = 60, .positions = 16};
  return drawn_counts(corpus.laws(), sequences, 5, shuffles);
}

Score scored(const PositionalCounts& counts, const std::vector<std::string>& specs, Target& target,
             Candidates& candidates, Index threads = 1) {
  target = make_target(counts, {.splits = 6, .threads = threads});
  candidates = make_candidates(
      specs, target, {.dim = 32, .heads = 8, .train = 16, .length = 16, .threads = threads});
  return score(target, candidates, threads);
}

const ScoreRow& row_of(const Score& score, std::string_view encoding) {
  for (const ScoreRow& row : score.rows)
    if (row.candidate->name == encoding) return row;
  ADD_FAILURE() << encoding;
  return score.rows.front();
}

// The jackknife of a mean is s / sqrt(g).
TEST(JackknifeInterval, OfAMeanIsTheClassicalOne) {
  const Vector values = {1.0, 4.0, 2.5, 7.0, 3.0};
  const double mean = 3.5;
  Vector without;
  double variance = 0.0;
  for (const double value : values) {
    without.push_back((5.0 * mean - value) / 4.0);
    variance += (value - mean) * (value - mean) / 4.0;
  }
  const Interval interval = jackknife_interval(mean, without).value();
  EXPECT_NEAR(interval[1] - mean, 1.96 * std::sqrt(variance / 5.0), 1e-12);
  EXPECT_NEAR(mean - interval[0], 1.96 * std::sqrt(variance / 5.0), 1e-12);
}

TEST(Score, GivesRopeAndTheSinusoidOneScaledStress) {
  Target target;
  Candidates candidates;
  const Score result = scored(drift(600), {"sinusoidal", "rope"}, target, candidates);
  const ScoreRow& rope = row_of(result, "rope");
  const ScoreRow& sinusoid = row_of(result, "sinusoidal");
  EXPECT_NEAR(*rope.stress_scaled, *sinusoid.stress_scaled, 1e-12);
  EXPECT_NEAR(*rope.stress_corrected, *sinusoid.stress_corrected, 1e-12);
}

TEST(Score, OfMdsAtFullRankIsZeroAndSmacofIsNeverWorse) {
  Target target;
  Candidates candidates;
  const Score result = scored(drift(600), {"mds(rank=2)", "smacof(rank=2)"}, target, candidates);
  const auto find = [&](std::string_view spec) {
    for (const ScoreRow& row : result.rows)
      if (row.candidate->encoding == spec) return *row.stress_raw;
    ADD_FAILURE() << spec;
    return 0.0;
  };
  EXPECT_LT(find("mds(rank=15)"), 1e-10);
  EXPECT_LE(find("smacof(rank=2)"), find("mds(rank=2)"));
}

TEST(Score, HoldsControlsAndRanksByCorrectedStress) {
  Target target;
  Candidates candidates;
  const Score result = scored(drift(2000), {"alibi(slope=0.1)", "sinusoidal"}, target, candidates);
  for (const char* control : {"equidistant", "random", "mds", "smacof"})
    EXPECT_TRUE(row_of(result, control).candidate->control) << control;
  for (std::size_t k = 1; k < result.rows.size(); ++k)
    EXPECT_LE(*result.rows[k - 1].stress_corrected, *result.rows[k].stress_corrected);
  // Positions of this corpus lie on a line in the space of laws.
  EXPECT_NE(result.rows.front().candidate->name, "equidistant");
  EXPECT_LT(*row_of(result, "alibi").stress_corrected,
            *row_of(result, "equidistant").stress_corrected);
}

TEST(Score, DoesNotDependOnThreads) {
  const PositionalCounts counts = drift(400);
  Target one, three;
  Candidates a, b;
  const Score first = scored(counts, {"rope", "alibi"}, one, a, 1);
  const Score second = scored(counts, {"rope", "alibi"}, three, b, 3);
  ASSERT_EQ(first.rows.size(), second.rows.size());
  for (std::size_t k = 0; k < first.rows.size(); ++k) {
    EXPECT_EQ(first.rows[k].stress_corrected, second.rows[k].stress_corrected);
    EXPECT_EQ(first.rows[k].interval, second.rows[k].interval);
    EXPECT_EQ(first.rows[k].procrustes, second.rows[k].procrustes);
  }
}

TEST(Score, ListsEncodingsWhoseValuesAreLearned) {
  Target target;
  Candidates candidates;
  scored(drift(300), {"t5", "learned", "rope"}, target, candidates);
  ASSERT_EQ(candidates.needs_values.size(), 2u);
  EXPECT_EQ(candidates.needs_values[0].encoding, "t5");
}

TEST(MakeCandidates, TurnsAnEncodingThatDoesNotFitIntoAnError) {
  const Target target = make_target(drift(300), {.splits = 2});
  const Candidates candidates =
      make_candidates({"rope"}, target, {.dim = 33, .heads = 1, .train = 16, .length = 16});
  EXPECT_NE(candidates.list.front().error.find("even"), std::string::npos);
  EXPECT_EQ(candidates.list.front().distances, nullptr);
  expect_error(ErrorCode::kUsage, "rop",
               [&] { make_candidates({"ropes"}, target, {.length = 16}); });
}

TEST(MakeTarget, FindsNoDistanceBetweenEqualPositions) {
  const Matrix laws = [] {
    Matrix m(4, 1);
    for (Index i = 0; i < 4; ++i) m(i, 0) = 1.0;
    return m;
  }();
  const Target target = make_target(drawn_counts(laws, 300, 1, 2), {});
  EXPECT_TRUE(target.indistinguishable);
  EXPECT_EQ(target.ranks.numerical, 0);
  for (const double d : target.plain.values()) EXPECT_EQ(d, 0.0);
  const Candidates candidates = make_candidates({"sinusoidal"}, target, {.dim = 8, .length = 4});
  const Score result = score(target, candidates, 1);
  EXPECT_EQ(*row_of(result, "equidistant").stress_raw, 0.0);
  EXPECT_EQ(*row_of(result, "sinusoidal").stress_scaled, 0.0);
}

TEST(MakeTarget, TakesOneSequenceAndOnePosition) {
  Matrix laws(1, 3);
  laws(0, 0) = laws(0, 1) = 0.5;
  const Target one_position = make_target(drawn_counts(laws, 300, 1, 1), {});
  EXPECT_EQ(one_position.plain.size(), 1);
  EXPECT_EQ(one_position.ranks.numerical, 0);
  const Target one_sequence = make_target(drift(1, 1), {});
  EXPECT_FALSE(one_sequence.corrected.has_value());
  EXPECT_FALSE(one_sequence.signal_fraction.has_value());
}

TEST(MakeTarget, RefusesACorpusWithoutSequences) {
  expect_error(ErrorCode::kMalformed, "no sequence", [] { make_target(drift(0, 0), {}); });
}

TEST(LagMeans, AreTheMeansOfTheDiagonals) {
  DistanceMatrix d(3);
  d.values()[0] = 1.0, d.values()[1] = 5.0, d.values()[2] = 3.0;
  const std::vector<Index> consecutive = {4, 5, 6}, apart = {0, 1, 3};
  EXPECT_EQ(lag_means(d, consecutive)(0, 1), 2.0);
  EXPECT_EQ(lag_means(d, consecutive)(0, 2), 5.0);
  EXPECT_EQ(lag_means(d, apart)(1, 2), 3.0);
}

TEST(TargetOfDistributions, HasTheDistancesOfTheLaws) {
  const SyntheticCorpus corpus{.types = 30, .positions = 8};
  const Target target = target_of_distributions(corpus.laws(), {});
  const DistanceMatrix truth = corpus.distances();
  for (std::size_t k = 0; k < truth.values().size(); ++k)
    EXPECT_NEAR(target.plain.values()[k], truth.values()[k], 1e-12);
  Matrix wrong = corpus.laws();
  wrong(2, 1) += 0.5;
  expect_error(ErrorCode::kMalformed, "row 2", [&] { target_of_distributions(wrong, {}); });
}

}  // namespace
}  // namespace sextant
