// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sextant/theorem.h"
#include "support/finding.h"

namespace sextant {
namespace {

const TheoremCheck& result() {
  static const TheoremCheck checked = theorems().find("T3").check({});
  return checked;
}

Finding finding(std::string_view part) { return finding(result(), part); }

// At first p_i moves with P_i - 1/3, so that the learned distances are those of the laws.
TEST(Monotonicity, EarlyDistancesStandInTheWrongOrder) {
  const double ratio = std::hypot(0.101, 0.101) / std::sqrt(2.0 * 0.011 * 0.011 + 0.022 * 0.022);
  EXPECT_NEAR(finding("M1, t=0.01").observed, ratio, 0.005 * ratio);
  EXPECT_EQ(finding("M1, t=0.01").verdict, ClaimVerdict::kViolated);
  EXPECT_EQ(finding("M1, t=0.01..").observed, 1.0);
  EXPECT_EQ(result().verdict, ClaimVerdict::kViolated);
}

TEST(Monotonicity, HellingerDistancesHaveNoFactor) {
  EXPECT_NE(finding("M1, t=0.01").remark.find("d_H(1,2) = 0.1018, d_H(1,3) = 0.1108"),
            std::string::npos);
  EXPECT_NEAR(std::hypot(std::sqrt(0.6) - std::sqrt(0.499), std::sqrt(0.499) - std::sqrt(0.398)),
              0.1018, 5e-5);
}

// The flow conserves the sum of p_i and ends where softmax(p_i) = P_i: at log P_i less its mean.
TEST(Monotonicity, FlowEndsAtTheLogarithmsInTheRightOrder) {
  const auto limit = [](double a, double b, double c) {  // of log P - log Q, centred
    const double mean = (a + b + c) / 3.0;
    return std::sqrt((a - mean) * (a - mean) + (b - mean) * (b - mean) + (c - mean) * (c - mean));
  };
  const auto& curves = result().figures.at(0).curves;
  EXPECT_NEAR(curves.at(0).y.back(), limit(std::log(0.6 / 0.499), std::log(0.398 / 0.499), 0.0),
              1e-10);
  EXPECT_NEAR(curves.at(1).y.back(),
              limit(std::log(0.488 / 0.499), std::log(0.488 / 0.499), std::log(12.0)), 1e-10);
  EXPECT_EQ(finding("M1, end").observed, 0.0);
  EXPECT_NE(result().reason.find(" on, and at convergence, the order is right"), std::string::npos)
      << result().reason;
}

TEST(Monotonicity, OneSeparationOvershootsItsLimit) {
  const Vector& apart = result().figures.at(0).curves.at(0).y;
  const auto peak = std::max_element(apart.begin(), apart.end());
  EXPECT_GT(*peak, 1.05 * apart.back());
  EXPECT_TRUE(std::is_sorted(apart.begin(), peak));
  EXPECT_EQ(finding("M2, pair 1-2").observed, 1.0);
  EXPECT_EQ(finding("M2, pair 1-2").verdict, ClaimVerdict::kViolated);
  EXPECT_EQ(finding("M2, pair 1-3").observed, 0.0);
}

TEST(Monotonicity, LeavesTrainedModelsOut) {
  EXPECT_TRUE(finding("empirical NTK").remark.starts_with("not done here: needs training"));
}

// Runge-Kutta of order 4 at steps of 1/8 and eigenvalues up to 1/2.
TEST(Monotonicity, IntegrationAgreesWithHalfTheStep) {
  EXPECT_LT(finding("Runge-Kutta").observed, 1e-7);
}

}  // namespace
}  // namespace sextant
