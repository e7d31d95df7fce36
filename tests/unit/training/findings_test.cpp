// SPDX-License-Identifier: Apache-2.0
#include "training/findings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sextant {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// One finished trial at length 10, and at 20 with ten times the loss.
TrialOutcome outcome(const std::string& encoding, std::uint64_t seed, double loss) {
  TrialOutcome result;
  result.trial.encoding = encoding;
  result.trial.seed = seed;
  result.trial.test_lengths = {10, 20};
  result.result = TrialResult{
      .trial = result.trial,
      .evaluations = {{.length = 10, .loss = loss, .accuracy = 1.0 - loss},
                      {.length = 20, .loss = 10.0 * loss, .accuracy = 1.0 - loss / 10.0}}};
  return result;
}

std::vector<TrialOutcome> three_encodings() {
  std::vector<TrialOutcome> result;
  const double a[] = {0.1, 0.2, 0.3}, b[] = {0.11, 0.22, 0.33}, c[] = {0.5, 0.8, 0.4};
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    result.push_back(outcome("b", seed, b[seed - 1]));
    result.push_back(outcome("a", seed, a[seed - 1]));
    result.push_back(outcome("c", seed, c[seed - 1]));
  }
  return result;
}

// Of three differences, whose t has two degrees of freedom: 1 - t / sqrt(2 + t^2).
double p_of_three(double x, double y, double z) {
  const double mean = (x + y + z) / 3.0;
  const double variance =
      ((x - mean) * (x - mean) + (y - mean) * (y - mean) + (z - mean) * (z - mean)) / 2.0;
  const double t = std::abs(mean) / std::sqrt(variance / 3.0);
  return 1.0 - t / std::sqrt(2.0 + t * t);
}

TEST(Findings, PutsTheBestFirstAtEachLength) {
  const TrainingFindings loss = findings(three_encodings(), {});
  ASSERT_EQ(loss.summaries.size(), 6U);
  const char* order[] = {"a", "b", "c"};
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(loss.summaries[i].encoding, order[i % 3]);
    EXPECT_EQ(loss.summaries[i].length, i < 3 ? 10 : 20);
    EXPECT_EQ(loss.summaries[i].values.count, 3);
  }
  EXPECT_DOUBLE_EQ(loss.summaries[0].values.mean, 0.2);
  EXPECT_DOUBLE_EQ(loss.summaries[3].values.mean, 2.0);
  const TrainingFindings accuracy = findings(three_encodings(), {.metric = TrialMetric::kAccuracy});
  EXPECT_EQ(accuracy.summaries[0].encoding, "a");
  EXPECT_DOUBLE_EQ(accuracy.summaries[0].values.mean, 0.8);
}

TEST(Findings, CorrectsForAllPairsOfALength) {
  const TrainingFindings all = findings(three_encodings(), {});
  ASSERT_EQ(all.comparisons.size(), 6U);
  const EncodingComparison& first = all.comparisons[0];
  EXPECT_EQ(first.a, "b");
  EXPECT_EQ(first.b, "a");
  EXPECT_EQ(first.test.pairs, 3);
  EXPECT_NEAR(first.test.difference.value(), 0.02, 1e-15);
  const double ba = p_of_three(0.01, 0.02, 0.03), ca = p_of_three(0.4, 0.6, 0.1),
               cb = p_of_three(0.39, 0.58, 0.07);
  EXPECT_NEAR(first.test.p_t.value(), ba, 1e-12);
  ASSERT_LT(ba, ca);
  ASSERT_LT(ca, cb);
  EXPECT_NEAR(first.p_holm.value(), 3.0 * ba, 1e-12);
  EXPECT_NEAR(all.comparisons[1].p_holm.value(), 2.0 * ca, 1e-12);
  EXPECT_NEAR(all.comparisons[2].p_holm.value(), std::max(2.0 * ca, cb), 1e-12);
}

TEST(Findings, ComparesWithOneEncodingWhereAskedTo) {
  const TrainingFindings some = findings(three_encodings(), {.against = "b"});
  ASSERT_EQ(some.comparisons.size(), 4U);
  for (const EncodingComparison& each : some.comparisons) EXPECT_EQ(each.b, "b");
  EXPECT_EQ(some.comparisons[0].a, "a");
  EXPECT_NEAR(some.comparisons[0].test.difference.value(), -0.02, 1e-15);
  EXPECT_NEAR(some.comparisons[0].p_holm.value(), 2.0 * p_of_three(0.01, 0.02, 0.03), 1e-12);
}

TEST(Findings, LeavesOutPairsOfWhichOneHasNoNumber) {
  std::vector<TrialOutcome> outcomes = three_encodings();
  outcomes[1].result->end = TrialEnd::kNotFinite;  // a, seed 1
  outcomes[1].result->evaluations.clear();
  outcomes[3].result->evaluations[0].loss = kNaN;  // b, seed 2, length 10
  outcomes[8].result.reset();                      // c, seed 3
  const TrainingFindings found = findings(outcomes, {});
  EXPECT_EQ(found.summaries[0].values.count, 2);
  const EncodingComparison& c = found.comparisons[0];
  EXPECT_EQ(c.test.pairs, 1);
  EXPECT_FALSE(c.test.p_t.has_value());
  EXPECT_FALSE(c.p_holm.has_value());
  EXPECT_FALSE(value_at(outcomes[8], 10, TrialMetric::kLoss).has_value());
  EXPECT_FALSE(value_at(outcomes[0], 11, TrialMetric::kLoss).has_value());
}

TEST(Findings, KeepTheOtherLengthsOfATrialThatWasNotFiniteAtOne) {
  std::vector<TrialOutcome> outcomes = three_encodings();
  outcomes[1].result->end = TrialEnd::kNotFinite;  // a, seed 1, at length 20
  outcomes[1].result->evaluations.pop_back();
  EXPECT_EQ(value_at(outcomes[1], 10, TrialMetric::kLoss), 0.1);
  EXPECT_FALSE(value_at(outcomes[1], 20, TrialMetric::kLoss));
  const TrainingFindings found = findings(outcomes, {});
  EXPECT_EQ(found.summaries[0].values.count, 3);
  EXPECT_EQ(found.summaries[4].encoding, "a");  // 2.5 without its best seed, after 2.2 of b
  EXPECT_EQ(found.summaries[4].values.count, 2);
}

TEST(Findings, AreEmptyWithoutTrials) { EXPECT_TRUE(findings({}, {}).summaries.empty()); }

}  // namespace
}  // namespace sextant
