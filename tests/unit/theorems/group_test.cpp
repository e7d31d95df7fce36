// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sextant/registry.h"
#include "sextant/theorem.h"

namespace sextant {
namespace {

TheoremCheck check(const TheoremOptions& options) { return theorems().find("T10").check(options); }

const Finding& find(const TheoremCheck& result, std::string_view part) {
  const auto found = std::ranges::find_if(
      result.findings, [&](const Finding& finding) { return finding.part.starts_with(part); });
  EXPECT_NE(found, result.findings.end()) << part;
  return *found;
}

TEST(GroupTheorem, HoldsForEveryQueryKeyEncodingOfTheCatalogue) {
  const TheoremCheck result = check({});
  EXPECT_EQ(result.verdict, ClaimVerdict::kHoldsUnderConditions) << result.reason;
  for (const std::string& name : encodings().names()) {
    const EncodingInfo& info = encodings().info(name);
    if (!info.sites.query_key || !info.required_file.empty()) continue;
    const Finding& finding = find(result, name);
    EXPECT_EQ(finding.verdict, ClaimVerdict::kHolds) << name << ": " << finding.remark;
    EXPECT_LE(finding.observed, finding.bound.value()) << name;
  }
  EXPECT_EQ(find(result, "random X").verdict, ClaimVerdict::kHolds);
}

// A(lag) = [[lag, 0], [0, 0]] is C exp(lag X) B with one Jordan block, and A(0) = 0.
TEST(GroupTheorem, FailsWhereTheStartIsSingular) {
  const TheoremCheck result = check({.encodings = {"rope"}});
  const Finding& finding = result.findings.at(result.decisive);
  EXPECT_EQ(finding.part.substr(0, 13), "A(0) singular");
  EXPECT_EQ(finding.verdict, ClaimVerdict::kViolated);
  EXPECT_EQ(finding.observed, 0.0);
  EXPECT_NE(finding.remark.find("relative but no group"), std::string::npos);
  EXPECT_NE(finding.remark.find("order 2: real Jordan"), std::string::npos) << finding.remark;
}

// det exp(X) = exp(trace X) > 0 for every real X.
TEST(GroupTheorem, FailsOnWholePositions) {
  const Finding& finding = find(check({.encodings = {"rope"}}), "whole positions");
  EXPECT_EQ(finding.verdict, ClaimVerdict::kViolated);
  EXPECT_DOUBLE_EQ(finding.observed, -1.0);
}

TEST(GroupTheorem, DoesNotApplyWhereAConditionFails) {
  const TheoremCheck result = check(
      {.encodings = {"jordan(regime=stabilised)", "rope+alibi", "sinusoidal", "alibi", "mds"}});
  for (std::size_t i = 3; i < result.findings.size(); ++i) {
    const Finding& finding = result.findings[i];
    EXPECT_EQ(finding.verdict, ClaimVerdict::kNotTestable) << finding.part;
    EXPECT_TRUE(finding.remark.starts_with("not applicable: ")) << finding.remark;
    EXPECT_TRUE(std::isnan(finding.observed));
  }
  EXPECT_NE(find(result, "jordan").remark.find("F(s) and G(t)"), std::string::npos);
  EXPECT_EQ(result.verdict, ClaimVerdict::kHoldsUnderConditions);
}

}  // namespace
}  // namespace sextant
