// SPDX-License-Identifier: Apache-2.0
// A million mutated configs, with a seed of its own.
#include "support/lint_outcomes.h"

namespace sextant {
namespace {

TEST(Lint, EndsInFindingsOrAnErrorForAMillionConfigs) {
  const LintOutcomes outcomes = lint_mutated(1000000, 7);
  EXPECT_EQ(outcomes.linted + outcomes.refused, 1000000U);
  EXPECT_GT(outcomes.linted, 200000U);
}

}  // namespace
}  // namespace sextant
