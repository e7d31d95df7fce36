// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sextant/theorem.h"
#include "support/finding.h"

namespace sextant {
namespace {

TEST(Necessity, HoldsWithoutAMaskOnly) {
  const TheoremCheck result =
      check("T1", {.train = 12, .dim = 16, .heads = 2, .encodings = {"none"}});
  EXPECT_EQ(result.verdict, ClaimVerdict::kHoldsUnderConditions);
  EXPECT_EQ(result.findings.at(0).verdict, ClaimVerdict::kHolds);
  EXPECT_LT(result.findings.at(0).observed, 1e-12);
  EXPECT_EQ(result.findings.at(1).verdict, ClaimVerdict::kViolated);
  EXPECT_GT(result.findings.at(1).observed, 0.1);
}

// With i times a and j times b, the first of them is an a in i of i + j cases. All contents with
// their multinomial weights.
TEST(Necessity, BestInvariantPredictorIsBetterThanChance) {
  constexpr int kLength = 6;
  const auto choose = [](int n, int k) {
    return std::round(std::tgamma(n + 1.0) / std::tgamma(k + 1.0) / std::tgamma(n - k + 1.0));
  };
  double invariant = 0.0;
  for (int i = 0; i <= kLength; ++i)
    for (int j = 0; i + j <= kLength; ++j)
      invariant += choose(kLength, i) * choose(kLength - i, j) *
                   (i + j == 0 ? 1.0 : static_cast<double>(std::max(i, j)) / (i + j));
  invariant /= std::pow(3.0, kLength);
  const double chance = 0.5 + 0.5 * std::pow(3.0, -kLength);  // ccc... counts as "no"
  const TheoremCheck result = check("T1", {.encodings = {"none"}});
  const Finding& task = result.findings.at(2);
  EXPECT_NEAR(task.observed, invariant, 1e-12);
  EXPECT_NEAR(task.lower.value(), chance, 1e-12);
  EXPECT_EQ(task.bound.value(), 1.0);
  EXPECT_GT(task.observed, chance + 0.1);
  EXPECT_TRUE(result.reason.ends_with(
      fmt::format("on 'does a come before b', length 6, the best invariant predictor is right in "
                  "{:.3f} where chance is {:.3f}",
                  invariant, chance)))
      << result.reason;
}

TEST(Necessity, EveryEncodingOfTheCatalogueButNoneBreaksTheSymmetry) {
  const TheoremCheck result = check("T1", {.train = 10, .dim = 16, .heads = 2});
  Index broken = 0;
  for (std::size_t i = 5; i < result.findings.size(); ++i) {
    const Finding& finding = result.findings[i];
    EXPECT_NE(finding.verdict, ClaimVerdict::kViolated) << finding.part;
    if (finding.lower) ++broken;
    if (finding.part == "none") {
      EXPECT_LT(finding.observed, 1e-12);
    }
  }
  EXPECT_GT(broken, 15);
}

TEST(Necessity, AnEncodingThatDoesNothingIsReported) {
  const TheoremCheck result = check("T1", {.train = 10, .encodings = {"alibi(slope=1e-300)"}});
  EXPECT_EQ(result.findings.back().verdict, ClaimVerdict::kViolated);
}

TEST(Necessity, SaysThatTrainedModelsAreNotPartOfIt) {
  const TheoremCheck result = check("T1", {.encodings = {"none"}});
  EXPECT_EQ(result.findings.at(4).verdict, ClaimVerdict::kNotTestable);
  EXPECT_TRUE(result.findings.at(4).remark.starts_with("not done here: needs training"));
}

}  // namespace
}  // namespace sextant
