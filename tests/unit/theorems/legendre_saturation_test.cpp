// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "sextant/theorem.h"
#include "support/finding.h"

namespace sextant {
namespace {

// Laplace's integral P_k(x) = (1/pi) int (x + sqrt(x^2-1) cos a)^k da: a trigonometric polynomial,
// so that a sum over more than k equidistant points is exact.
double legendre_integral(int k, double x) {
  const int points = 2 * k;
  double sum = 0.0;
  for (int i = 0; i < points; ++i)
    sum += std::pow(x + std::sqrt(x * x - 1.0) * std::cos(2.0 * std::numbers::pi * i / points), k);
  return sum / points;
}

TEST(LegendreSaturation, HoldsOnlyWithTheClamp) {
  const TheoremCheck result = check("T9", {.train = 50, .to = 200, .dim = 64});
  EXPECT_EQ(result.verdict, ClaimVerdict::kHoldsUnderConditions);
  const Finding& clamped = result.findings.at(result.decisive);
  EXPECT_DOUBLE_EQ(clamped.observed, 8.0);
  EXPECT_DOUBLE_EQ(clamped.bound.value(), 8.0);
  for (const Finding& finding : result.findings) {
    const bool is_clamped = finding.part.find("clamp") != std::string::npos;
    EXPECT_EQ(finding.verdict, is_clamped ? ClaimVerdict::kHolds : ClaimVerdict::kViolated)
        << finding.part << ": " << finding.quantity;
  }
}

TEST(LegendreSaturation, UnclampedPolynomialsGrowLikeTheirDegree) {
  const TheoremCheck result = check("T9", {.train = 50, .to = 200, .dim = 64});
  const struct {
    int t;
    double published;
  } kExpected[] = {{51, 3.6e4}, {60, 9e15}, {100, 8e34}, {200, 2e55}};
  for (const auto& expected : kExpected) {
    const std::string quantity = "|P_63(t/N)| at t=" + std::to_string(expected.t);
    const auto found = std::find_if(result.findings.begin(), result.findings.end(),
                                    [&](const Finding& f) { return f.quantity == quantity; });
    ASSERT_NE(found, result.findings.end()) << quantity;
    const double exact = legendre_integral(63, expected.t / 50.0);
    EXPECT_NEAR(found->observed / exact, 1.0, 1e-11) << quantity;
    EXPECT_NEAR(found->observed / expected.published, 1.0, 0.05) << quantity;
  }
}

TEST(LegendreSaturation, PositionsBeyondTheClampShareOneRow) {
  const TheoremCheck result = check("T9", {.train = 50, .to = 200});
  EXPECT_EQ(result.findings.at(1).observed, 0.0);
  EXPECT_EQ(result.findings.at(1).remark, "150 of the positions 0..199 share the row of N=50");
}

TEST(LegendreSaturation, ReportsRowsThatDoNotFitADouble) {
  const TheoremCheck result = check("T9", {.train = 50, .to = 400, .dim = 1024});
  EXPECT_EQ(result.verdict, ClaimVerdict::kHoldsUnderConditions);
  const Finding& free = result.findings.at(6);
  EXPECT_TRUE(std::isfinite(free.observed));
  EXPECT_NE(free.remark.find("does not fit a double"), std::string::npos);
}

// x = t - 1 for N = 2: |P_1023(2)| is about (2 + sqrt 3)^1023, beyond 1e500.
TEST(LegendreSaturation, SaysWhereRowsStopToFitADouble) {
  const TheoremCheck result = check("T9", {.train = 2, .to = 200, .dim = 1024});
  EXPECT_EQ(result.verdict, ClaimVerdict::kHoldsUnderConditions);
  EXPECT_NE(result.reason.find("does not fit a double from t=3 on"), std::string::npos)
      << result.reason;
  EXPECT_EQ(result.findings.at(5).verdict, ClaimVerdict::kNotTestable);
  EXPECT_TRUE(std::isnan(result.findings.at(5).observed));
}

TEST(LegendreSaturation, AConstantNeedsNoClamp) {
  EXPECT_EQ(check("T9", {.dim = 1}).verdict, ClaimVerdict::kHolds);
}

}  // namespace
}  // namespace sextant
