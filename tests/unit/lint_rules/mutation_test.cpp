// SPDX-License-Identifier: Apache-2.0
#include "support/lint_outcomes.h"

namespace sextant {
namespace {

TEST(Lint, EndsInFindingsOrAnErrorForAnyConfig) {
  const LintOutcomes outcomes = lint_mutated(100000, 20240607);
  EXPECT_EQ(outcomes.linted + outcomes.refused, 100000U);
  EXPECT_GT(outcomes.linted, 20000U) << "mutants hardly reach the rules";
  EXPECT_GT(outcomes.refused, 1000U) << "mutants are hardly broken";
  EXPECT_GT(outcomes.findings, outcomes.linted);
}

}  // namespace
}  // namespace sextant
