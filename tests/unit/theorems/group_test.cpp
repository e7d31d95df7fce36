// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "sextant/registry.h"
#include "sextant/theorem.h"
#include "support/finding.h"

namespace sextant {
namespace {

TEST(GroupTheorem, HoldsForEveryQueryKeyEncodingOfTheCatalogue) {
  const TheoremCheck result = check("T10", {});
  EXPECT_EQ(result.verdict, ClaimVerdict::kHoldsUnderConditions) << result.reason;
  for (const std::string& name : encodings().names()) {
    const EncodingInfo& info = encodings().info(name);
    if (!info.sites.query_key || !info.required_file.empty()) continue;
    const Finding one = finding(result, name);
    EXPECT_EQ(one.verdict, ClaimVerdict::kHolds) << name << ": " << one.remark;
    EXPECT_LE(one.observed, one.bound.value()) << name;
  }
  EXPECT_EQ(finding(result, "random X").verdict, ClaimVerdict::kHolds);
}

// A(lag) = [[lag, 0], [0, 0]] is C exp(lag X) B with one Jordan block, and A(0) = 0.
TEST(GroupTheorem, FailsWhereTheStartIsSingular) {
  const TheoremCheck result = check("T10", {.encodings = {"rope"}});
  const Finding one = finding(result, "A(0) singular");
  EXPECT_EQ(one.verdict, ClaimVerdict::kViolated);
  EXPECT_EQ(one.observed, 0.0);
  EXPECT_NE(one.remark.find("relative but no group"), std::string::npos);
  EXPECT_NE(one.remark.find("order 2: real Jordan"), std::string::npos) << one.remark;
}

TEST(GroupTheorem, IsDecidedByTheMapThatFitsWorst) {
  const TheoremCheck result = check("T10", {.encodings = {"rope", "spiral"}});
  const Finding& decisive = result.findings.at(result.decisive);
  EXPECT_EQ(decisive.verdict, ClaimVerdict::kHolds);
  for (const Finding& one : result.findings) {
    if (one.verdict != ClaimVerdict::kHolds) continue;
    EXPECT_LE(one.observed, decisive.observed) << one.part;
  }
}

// det exp(X) = exp(trace X) > 0 for every real X.
TEST(GroupTheorem, FailsOnWholePositions) {
  const Finding one = finding(check("T10", {.encodings = {"rope"}}), "whole positions");
  EXPECT_EQ(one.verdict, ClaimVerdict::kViolated);
  EXPECT_DOUBLE_EQ(one.observed, -1.0);
}

TEST(GroupTheorem, DoesNotApplyWhereAConditionFails) {
  const TheoremCheck result = check("T10", {.encodings = {"jordan(regime=stabilised)", "rope+alibi",
                                                          "sinusoidal", "alibi", "mds"}});
  for (std::size_t i = 3; i < result.findings.size(); ++i) {
    const Finding& one = result.findings[i];
    EXPECT_EQ(one.verdict, ClaimVerdict::kNotTestable) << one.part;
    EXPECT_TRUE(one.remark.starts_with("not applicable: ")) << one.remark;
    EXPECT_TRUE(std::isnan(one.observed));
  }
  EXPECT_NE(finding(result, "jordan").remark.find("F(s) and G(t)"), std::string::npos);
  EXPECT_EQ(result.verdict, ClaimVerdict::kHoldsUnderConditions);
}

}  // namespace
}  // namespace sextant
