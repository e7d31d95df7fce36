// SPDX-License-Identifier: Apache-2.0
#include "theory/lipschitz_study.h"

#include <gtest/gtest.h>

namespace sextant {
namespace {

const LipschitzStudy& study() {
  static const LipschitzStudy result = lipschitz_study({.encodings = {"rope"}});
  return result;
}

// For tokens 0, x, -x the Jacobian at the first holds the covariance of the keys, which is that of
// x x^T.
TEST(LipschitzStudy, ATiedTokenStretchesWithTheSquareOfTheRadius) {
  EXPECT_NEAR(study().findings.at(0).observed, 2.0, 0.02);
  EXPECT_EQ(study().findings.at(0).verdict, ClaimVerdict::kHoldsUnderConditions);
}

TEST(LipschitzStudy, OneHeadGrowsWithTheRadiusAndLayerNormFallsWithIt) {
  EXPECT_GT(study().findings.at(1).observed, 0.5);
  EXPECT_LT(study().findings.at(3).observed, -0.2);
  EXPECT_GT(study().findings.at(4).observed, 10.0);
}

TEST(LipschitzStudy, DrawsEveryEncodingInEverySetting) {
  ASSERT_EQ(study().figures.size(), 3U);
  EXPECT_EQ(study().figures[0].curves.size(), 1U);
  EXPECT_EQ(study().figures[1].curves.size(), 1U);
  EXPECT_EQ(study().figures[2].curves.size(), 2U);
}

// Rotations and their multiples need heads of 4 coordinates.
TEST(LipschitzStudy, RunsForAnyNumberOfHeads) {
  for (const Index heads : {2, 3, 4}) {
    const LipschitzStudy several = lipschitz_study({.heads = heads, .encodings = {"rope"}});
    ASSERT_EQ(several.findings.size(), 6U) << heads;
    EXPECT_NE(several.findings.at(3).part.find(std::to_string(heads) + " heads"), std::string::npos)
        << several.findings.at(3).part;
  }
}

TEST(LipschitzStudy, SaysWhatNeedsAFile) {
  const LipschitzStudy without = lipschitz_study({.encodings = {"table"}});
  ASSERT_EQ(without.findings.size(), 2U);
  EXPECT_EQ(without.findings.back().verdict, ClaimVerdict::kNotTestable);
  EXPECT_TRUE(without.figures.front().curves.empty());
}

}  // namespace
}  // namespace sextant
