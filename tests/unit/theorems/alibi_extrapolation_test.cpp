// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "sextant/error.h"
#include "sextant/theorem.h"
#include "support/finding.h"

namespace sextant {
namespace {

// Geometric series: the weight at distance 50 among 49 keys at 0..48, slope 1/10.
TEST(AlibiExtrapolation, IsVacuousAtFourTimesTheTrainingLength) {
  const TheoremCheck result = check("T7", {.train = 50, .to = 200, .alpha = 0.1});
  const double others = (1.0 - std::exp(-4.9)) / (1.0 - std::exp(-0.1));
  const auto weight = [&](double bias) { return std::exp(bias) / (std::exp(bias) + others); };
  const Finding& decisive = result.findings.at(result.decisive);
  EXPECT_NEAR(decisive.observed, weight(-5.0) - weight(-20.0), 1e-15);
  EXPECT_NEAR(decisive.observed, 6.5e-4, 5e-6);
  EXPECT_DOUBLE_EQ(decisive.bound.value(), 3.75);
  EXPECT_EQ(result.verdict, ClaimVerdict::kVacuous);
  EXPECT_NE(result.reason.find("with L_A = 1/4, which is ours, it allows 3.75 "), std::string::npos)
      << result.reason;
}

TEST(AlibiExtrapolation, HoldsWhereTheBoundSaysSomething) {
  const TheoremCheck result = check("T7", {.train = 50, .to = 60, .alpha = 0.1});
  EXPECT_EQ(result.verdict, ClaimVerdict::kHolds);
  EXPECT_LT(result.findings.at(1).observed, 1.0);
}

// To first order in alpha the change is alpha (d-N) w (1-w), and w is 1/2 between two keys: the
// bound is reached and rounding must not push the quotient beyond it.
TEST(AlibiExtrapolation, HoldsWhereTheBoundIsReached) {
  const TheoremCheck result = check("T7", {.train = 2, .to = 200, .alpha = 1e-6});
  EXPECT_EQ(result.verdict, ClaimVerdict::kHolds);
  EXPECT_NEAR(result.findings.at(1).observed, 1.0, 1e-6);
}

// A slope that shrinks as 1/L keeps alpha L, so the row is the trained one, stretched: the share of
// weight on the far 3/4 of the lags is that of exp(-alpha N x) on [1/4, 1].
TEST(AlibiExtrapolation, InverseScheduleStretchesTheRow) {
  const TheoremCheck result = check("T7", {.train = 1000, .to = 4000, .alpha = 0.001});
  const Finding& inverse = result.findings.back();
  ASSERT_EQ(inverse.part, "schedule inverse");
  const double beyond = (std::exp(-0.25) - std::exp(-1.0)) / (1.0 - std::exp(-1.0));
  EXPECT_NEAR(inverse.observed, beyond, 1e-3);
}

TEST(TheoremOptions, AreRefusedWithTheNameOfTheOption) {
  EXPECT_THROW(validate({.train = 50, .to = 50}), Error);
  EXPECT_THROW(validate({.train = 0}), Error);
  EXPECT_THROW(validate({.alpha = 0.0}), Error);
  EXPECT_THROW(validate({.alpha = -1.0}), Error);
  EXPECT_NO_THROW(validate({.alpha = 1e6}));
  EXPECT_THROW(validate({.alpha = 1.1e6}), Error);
  EXPECT_THROW(validate({.to = kMostTheoremPositions + 1}), Error);
}

}  // namespace
}  // namespace sextant
