// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sextant/theorem.h"
#include "support/finding.h"

namespace sextant {
namespace {

double entropy(double p) { return -p * std::log(p) - (1.0 - p) * std::log(1.0 - p); }
const double kBySum = entropy(1.0 / (1.0 + std::exp(-2.0)));  // of the label of equal tokens

TEST(Separation, HoldsWhereTheOrderPays) {
  const TheoremCheck result = check("T2");
  EXPECT_EQ(result.verdict, ClaimVerdict::kHoldsUnderConditions);
  EXPECT_EQ(finding(result, "eps=0").observed, 0.0);
  for (const char* part : {"eps=0.25", "eps=0.5", "eps=1"}) {
    EXPECT_GT(finding(result, part).observed, 0.0) << part;
    EXPECT_EQ(finding(result, part).verdict, ClaimVerdict::kHolds) << part;
  }
  EXPECT_EQ(result.findings.at(result.decisive).part, "eps=0.25");
}

// Without the order two different tokens leave one bit: half of the sequences cost log 2 each, the
// others what their label costs, whatever eps. The class contains that predictor exactly.
TEST(Separation, CoincidentEmbeddingsReachTheBestSwapInvariantRisk) {
  const TheoremCheck result = check("T2");
  const double invariant = 0.5 * (std::log(2.0) + kBySum);
  for (const char* part : {"eps=0, p", "eps=0.25, p", "eps=0.5, p", "eps=1, p"}) {
    const Finding risk = finding(result, part);
    EXPECT_NEAR(risk.observed, invariant, 1e-14) << part;
    EXPECT_NEAR(risk.lower.value(), invariant, 1e-14) << part;
  }
}

// With the order, a label that follows it with probability eps has the entropy of (1 + eps) / 2.
TEST(Separation, RiskOfTheClassLiesBetweenBayesAndTheSwapInvariantOnes) {
  const TheoremCheck result = check("T2");
  const double dials[] = {0.0, 0.25, 0.5};
  for (std::size_t k = 0; k < std::size(dials); ++k) {
    const Vector& risks = result.figures.at(0).curves.at(k).y;
    const double least = *std::min_element(risks.begin(), risks.end());
    EXPECT_GE(least, 0.5 * (entropy(0.5 * (1.0 + dials[k])) + kBySum) - 1e-14);
    if (dials[k] > 0.0) {
      EXPECT_LT(least, risks.front() - 1e-3);
    } else {
      EXPECT_NEAR(least, risks.front(), 1e-14);
    }
  }
}

TEST(Separation, CoincidentEmbeddingsCannotTellASwap) {
  EXPECT_LE(finding(check("T2"), "p_1 = p_2").observed, 1e-14);
}

TEST(Separation, RiskIsNotConvexInTheEmbeddings) {
  const Finding convexity = finding(check("T2"), "condition of the rebuttal: strict convexity");
  EXPECT_GT(convexity.observed, 0.1);
  EXPECT_EQ(convexity.verdict, ClaimVerdict::kViolated);
}

// 0.5 (ln 2 + h(sigma(2))) = 0.5292 bounds swap-invariant predictors from below.
TEST(Separation, SaysWhatItsNumbersAreAbout) {
  const TheoremCheck result = check("T2");
  EXPECT_NE(result.reason.find("against at least 0.5292 for every swap-invariant predictor"),
            std::string::npos)
      << result.reason;
  EXPECT_NE(result.reason.find("a simulated rebuttal and not the abstract"), std::string::npos);
  EXPECT_TRUE(result.reason.ends_with("at a midpoint (eps=0.5)")) << result.reason;
  EXPECT_TRUE(finding(result, "training from coincident rows")
                  .remark.starts_with("not done here: needs training"));
}

TEST(Separation, MoreVectorsThanNumbersAreDependent) {
  const TheoremCheck result = check("T2", {.train = 5, .to = 20, .dim = 8});
  const Finding few = finding(result, "the review's 'linearly independent', n=5");
  EXPECT_EQ(few.observed, 5.0);
  EXPECT_EQ(few.verdict, ClaimVerdict::kHolds);
  const Finding many = finding(result, "the review's 'linearly independent', n=20");
  EXPECT_EQ(many.observed, 8.0);
  EXPECT_EQ(many.verdict, ClaimVerdict::kViolated);
}

}  // namespace
}  // namespace sextant
