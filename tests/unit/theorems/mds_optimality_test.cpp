// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "sextant/theorem.h"
#include "support/finding.h"

namespace sextant {
namespace {

TEST(MdsOptimality, OneHotLawsOnALineHaveTheStressOfTheClosedForms) {
  const TheoremCheck result = check("T4");
  const Finding& best = result.findings.at(0);
  EXPECT_NEAR(best.observed, 1.0 / 6.0, 1e-14);
  EXPECT_NEAR(best.bound.value(), 1.0 / 9.0, 1e-9);
  EXPECT_EQ(best.verdict, ClaimVerdict::kViolated);
  EXPECT_NEAR(result.findings.at(1).observed, 1.5 - 2.0 / std::sqrt(3.0), 1e-14);
  EXPECT_EQ(result.verdict, ClaimVerdict::kViolated);
  EXPECT_EQ(result.decisive, 0U);
}

// B has the eigenvalues 1, 1, 0: a line keeps one of them. SMACOF's points -a, 0, a with a^2 = 8/9
// keep 16/9 on the direction (1, 0, -1)/sqrt 2, so that its strain is 1 + (16/9 - 1)^2 = 130/81.
TEST(MdsOptimality, StrainIsLeastAsEckartAndYoungPromise) {
  const Finding strain = check("T4").findings.at(4);
  EXPECT_NEAR(strain.observed, 0.5, 1e-14);
  EXPECT_NEAR(strain.bound.value(), 65.0 / 81.0, 1e-6);
  EXPECT_EQ(strain.verdict, ClaimVerdict::kHolds);
}

TEST(MdsOptimality, SmacofIsNeverWorseAndFullRankLosesNothing) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const TheoremCheck result = check("T4", {.seed = seed});
    EXPECT_GT(result.findings.at(5).observed, 0.5);
    EXPECT_EQ(result.findings.at(6).observed, 0.0);
    EXPECT_EQ(result.findings.at(7).observed, 0.0);
    EXPECT_NEAR(result.findings.at(8).observed, 0.0, 1e-13);
    const Figure& figure = result.figures.at(0);
    for (std::size_t k = 0; k < figure.curves[0].y.size(); ++k)
      EXPECT_LE(figure.curves[1].y[k], figure.curves[0].y[k] + 1e-13);
  }
}

TEST(MdsOptimality, SeedChangesTheRandomInstances) {
  EXPECT_NE(check("T4", {.seed = 1}).figures.at(0).curves[0].y,
            check("T4", {.seed = 2}).figures.at(0).curves[0].y);
}

}  // namespace
}  // namespace sextant
