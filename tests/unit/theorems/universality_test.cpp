// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sextant/theorem.h"

namespace sextant {
namespace {

TheoremCheck check(const TheoremOptions& options) { return theorems().find("T6").check(options); }

// The variance of 1..N is (N^2 - 1) / 12.
TEST(Universality, LogitsAloneCannotCountOnConstantInput) {
  const TheoremCheck result =
      check({.train = 7, .dim = 16, .heads = 2, .encodings = {"rope", "sinusoidal"}});
  EXPECT_EQ(result.verdict, ClaimVerdict::kHoldsUnderConditions);
  EXPECT_NEAR(result.findings.at(0).observed, 4.0, 1e-12);
  EXPECT_EQ(result.findings.at(0).verdict, ClaimVerdict::kViolated);
  EXPECT_LT(result.findings.at(1).observed, 1e-12);
  EXPECT_EQ(result.findings.at(1).verdict, ClaimVerdict::kHolds);
  const Finding& decisive = result.findings.at(result.decisive);
  EXPECT_EQ(decisive.part, "rope, random maps, N=8");
  EXPECT_EQ(decisive.verdict, result.verdict);
}

// N = 4, two symbols: 64 pairs; 2 N orbits under all permutations.
TEST(Universality, RankIsTheNumberOfOrbits) {
  const TheoremCheck result =
      check({.train = 7, .dim = 16, .heads = 2, .encodings = {"none", "rope", "sinusoidal"}});
  const auto rank = [&](std::size_t encoding) { return result.findings.at(3 + 5 * encoding); };
  EXPECT_EQ(rank(0).observed, 8.0);
  EXPECT_EQ(rank(1).observed, 64.0 - 6.0);
  EXPECT_EQ(rank(1).verdict, ClaimVerdict::kHoldsUnderConditions);
  EXPECT_EQ(rank(2).observed, 64.0);
  EXPECT_EQ(rank(2).verdict, ClaimVerdict::kHolds);
}

// In 010010 the ones have r / (1 + r^2) times the weight of the zeros for queries 0 and 2 alike:
// two orbits, and their complements, share their output.
TEST(Universality, GeometricWeightsCoincideBeyondTheSymmetry) {
  const TheoremCheck result = check({.train = 7, .dim = 16, .heads = 2, .encodings = {"alibi"}});
  const Finding& six = result.findings.at(3);
  EXPECT_EQ(six.part, "alibi, random maps, N=6");
  EXPECT_EQ(six.bound.value(), 188.0);
  EXPECT_EQ(six.observed, 186.0);
}

TEST(Universality, SaysThatNothingCouldBeTried) {
  const TheoremCheck result = check({.encodings = {"mds"}});
  EXPECT_EQ(result.verdict, ClaimVerdict::kNotTestable);
  EXPECT_EQ(result.reason.find("-1"), std::string::npos) << result.reason;
}

TEST(Universality, NamesTheLengthThatItTook) {
  const TheoremCheck result = check({.train = 70, .dim = 16, .heads = 2, .encodings = {"rope"}});
  EXPECT_EQ(result.findings.at(0).part, "rope, N=64 (of 70)");
}

TEST(Universality, HoldsAsPublishedForInputRows) {
  const TheoremCheck result =
      check({.train = 7, .dim = 16, .heads = 2, .encodings = {"sinusoidal"}});
  EXPECT_EQ(result.verdict, ClaimVerdict::kHolds);
}

}  // namespace
}  // namespace sextant
