// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sextant/theorem.h"
#include "support/finding.h"

namespace sextant {
namespace {

// The variance of 1..N is (N^2 - 1) / 12.
TEST(Universality, LogitsAloneCannotCountOnConstantInput) {
  const TheoremCheck result =
      check("T6", {.train = 7, .dim = 16, .heads = 2, .encodings = {"rope", "sinusoidal"}});
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
      check("T6", {.train = 7, .dim = 16, .heads = 2, .encodings = {"none", "rope", "sinusoidal"}});
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
  const TheoremCheck result =
      check("T6", {.train = 7, .dim = 16, .heads = 2, .encodings = {"alibi"}});
  const Finding& six = result.findings.at(3);
  EXPECT_EQ(six.part, "alibi, random maps, N=6");
  EXPECT_EQ(six.bound.value(), 188.0);
  EXPECT_EQ(six.observed, 186.0);
  EXPECT_EQ(six.verdict, ClaimVerdict::kViolated);
  EXPECT_EQ(result.findings.at(2).verdict, ClaimVerdict::kHoldsUnderConditions);
  EXPECT_EQ(result.verdict, ClaimVerdict::kHoldsUnderConditions);
  EXPECT_NE(
      result.reason.find("of 5 cases random maps are learnt by heart in 0, up to the residual "
                         "symmetry in 4, and short of it in 1 (alibi, N=6: 188 orbits have "
                         "186 outputs); nothing follows"),
      std::string::npos)
      << result.reason;
}

// (50^2 - 1) / 12.
TEST(Universality, NamesTheVarianceThatConstantOutputsLeave) {
  const TheoremCheck result =
      check("T6", {.train = 50, .dim = 16, .heads = 2, .encodings = {"none"}});
  EXPECT_NE(result.reason.find("(mean squared error 208.25 = Var(1..50))"), std::string::npos)
      << result.reason;
}

// A table of two rows has none for the lengths of random maps.
TEST(Universality, CountsTheCasesThatItCouldNotDecide) {
  const TheoremCheck result =
      check("T6", {.train = 2, .to = 3, .dim = 16, .heads = 2, .encodings = {"rope", "learned"}});
  EXPECT_NE(result.reason.find("of 10 cases"), std::string::npos) << result.reason;
  EXPECT_NE(result.reason.find("; 5 not decided; "), std::string::npos) << result.reason;
}

TEST(Universality, SaysThatNothingCouldBeTried) {
  const TheoremCheck result = check("T6", {.encodings = {"mds"}});
  EXPECT_EQ(result.verdict, ClaimVerdict::kNotTestable);
  EXPECT_EQ(result.reason.find("-1"), std::string::npos) << result.reason;
}

TEST(Universality, NamesTheLengthThatItTook) {
  const TheoremCheck result =
      check("T6", {.train = 70, .dim = 16, .heads = 2, .encodings = {"rope"}});
  EXPECT_EQ(result.findings.at(0).part, "rope, N=64 (of 70)");
}

TEST(Universality, HoldsAsPublishedForInputRows) {
  const TheoremCheck result =
      check("T6", {.train = 7, .dim = 16, .heads = 2, .encodings = {"sinusoidal"}});
  EXPECT_EQ(result.verdict, ClaimVerdict::kHolds);
}

}  // namespace
}  // namespace sextant
