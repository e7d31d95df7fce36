// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "sextant/theorem.h"
#include "support/finding.h"

namespace sextant {
namespace {

TEST(Rank, OfTheGramMatrixIsOneLessThanThePositions) {
  const TheoremCheck result = check("T11");
  EXPECT_EQ(finding(result, "B of 50 random laws over 100").observed, 49.0);
  EXPECT_EQ(finding(result, "B of 50 random laws over 25").observed, 25.0);
  EXPECT_EQ(result.verdict, ClaimVerdict::kHoldsUnderConditions);
  EXPECT_EQ(result.findings.at(result.decisive).observed, 49.0);
  EXPECT_EQ(result.findings.at(result.decisive).bound.value(), 49.0);
}

// (n-1)(n+d) < n d is n (n-1) < d: 28 * 27 = 756 < 768 < 29 * 28; 8 * 7 = 56 < 64 < 9 * 8.
TEST(Rank, FullRankSavesUpToTwentyEightPositionsInBert) {
  const TheoremCheck result = check("T11");
  EXPECT_EQ(finding(result, "d=768").observed, 28.0);
  EXPECT_EQ(finding(result, "d=64").observed, 8.0);
  EXPECT_EQ(finding(check("T11", {.dim = 100}), "d=100").observed, 10.0);
}

TEST(Rank, ParametersAreCountedForTheOptions) {
  const TheoremCheck many = check("T11");
  EXPECT_EQ(many.findings.at(0).observed, 49.0 * (50.0 + 64.0));
  EXPECT_EQ(many.findings.at(0).bound.value(), 50.0 * 64.0);
  EXPECT_EQ(many.findings.at(0).verdict, ClaimVerdict::kHoldsUnderConditions);
  const TheoremCheck few = check("T11", {.train = 8, .dim = 64});
  EXPECT_EQ(few.findings.at(0).observed, 504.0);
  EXPECT_EQ(few.findings.at(0).verdict, ClaimVerdict::kHolds);
}

TEST(Rank, DegreesOfFreedomAreTheWidthOfTheTangentSpace) {
  EXPECT_EQ(finding(check("T11"), "n=7, d=5").observed, 0.0);
}

TEST(Rank, SinusoidalRowsRepeatNowhereInAMillion) {
  const TheoremCheck result = check("T11");
  double squared = 0.0;
  for (int k = 0; k < 32; ++k) squared += 2.0 - 2.0 * std::cos(std::pow(10000.0, -2.0 * k / 64.0));
  const Finding all = finding(result, "sinusoidal, d=64, offsets 1..1000000");
  EXPECT_NEAR(all.observed, std::sqrt(squared), 1e-12);
  EXPECT_NEAR(all.observed, 1.472, 5e-4);
  EXPECT_EQ(all.verdict, ClaimVerdict::kHolds);
  const Finding far = finding(result, "sinusoidal, d=64, offsets 10001..");
  EXPECT_GT(far.observed, all.observed);
  EXPECT_EQ(far.verdict, ClaimVerdict::kViolated);
  EXPECT_NE(far.remark.find("no repeat up to 1000000"), std::string::npos) << far.remark;
  EXPECT_NE(result.reason.find("Li's remark"), std::string::npos);
}

// One wave of whole radians does come back: 355/113 is close to pi.
TEST(Rank, OneWaveIsAmbiguous) {
  const TheoremCheck result = check("T11", {.dim = 2});
  EXPECT_LT(finding(result, "sinusoidal, d=2, offsets 10001..").observed, 1e-3);
  EXPECT_EQ(finding(result, "sinusoidal, d=2, offsets 10001..").verdict, ClaimVerdict::kHolds);
}

// Two columns: 1 and x = 2t/n - 1 at t = 0..n-1, whose sum is -1 and whose squares sum to
// (n^2 + 2) / (3 n).
TEST(Rank, SampledLegendrePolynomialsAreNotOrthogonal) {
  const TheoremCheck result = check("T11", {.train = 10, .dim = 2});
  const Finding columns = finding(result, "legendre(train=10), n=10, d=2");
  EXPECT_NEAR(columns.observed, 1.0 / std::sqrt(10.0 * 102.0 / 30.0), 1e-14);
  EXPECT_EQ(columns.verdict, ClaimVerdict::kNotTestable);
  EXPECT_TRUE(columns.remark.starts_with("measured, no claim")) << columns.remark;
  EXPECT_GT(finding(result, "wavelet(train=10), n=10, d=2").observed, 1e-9);
}

}  // namespace
}  // namespace sextant
