// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sextant/theorem.h"
#include "support/finding.h"

namespace sextant {
namespace {

const Finding& part(const TheoremCheck& result, std::string_view name) {
  for (const Finding& finding : result.findings)
    if (finding.part == name) return finding;
  ADD_FAILURE() << "no finding " << name;
  return result.findings.front();
}

TEST(ResidualSymmetry, HoldsForTheCatalogue) {
  const TheoremCheck result = check("t1'", {.train = 9, .dim = 16, .heads = 2});
  EXPECT_EQ(result.verdict, ClaimVerdict::kHolds);
  EXPECT_LT(result.findings.at(result.decisive).observed, 1e-12);
  for (const Finding& finding : result.findings)
    EXPECT_NE(finding.verdict, ClaimVerdict::kViolated) << finding.part;
}

TEST(ResidualSymmetry, BiasesInTheDistanceLeaveReversalAndRotationsDoNot) {
  const TheoremCheck result = check(
      "t1'", {.train = 9, .dim = 16, .heads = 2, .encodings = {"alibi", "rope", "sinusoidal"}});
  EXPECT_EQ(part(result, "alibi, reversal").verdict, ClaimVerdict::kHolds);
  EXPECT_EQ(part(result, "rope, reversal").verdict, ClaimVerdict::kNotTestable);
  EXPECT_GT(part(result, "rope, reversal").observed, 1e-3);
  EXPECT_EQ(part(result, "rope, constant sequence, causal mask").verdict, ClaimVerdict::kHolds);
  EXPECT_EQ(part(result, "sinusoidal, constant sequence, no mask").verdict,
            ClaimVerdict::kNotTestable);
  EXPECT_GT(part(result, "sinusoidal, constant sequence, no mask").observed, 1e-3);
}

TEST(ResidualSymmetry, NamesTheSizeThatItTook) {
  const TheoremCheck result =
      check("t1'", {.train = 50, .dim = 16, .heads = 2, .encodings = {"alibi"}});
  EXPECT_NE(part(result, "alibi, reversal").remark.find("N=16 (of 50), dim=16, heads=2"),
            std::string::npos)
      << part(result, "alibi, reversal").remark;
}

TEST(ResidualSymmetry, IsNotTestableOnInputRowsAlone) {
  const TheoremCheck result = check("t1'", {.encodings = {"sinusoidal"}});
  EXPECT_EQ(result.verdict, ClaimVerdict::kNotTestable);
}

}  // namespace
}  // namespace sextant
