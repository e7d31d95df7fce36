// SPDX-License-Identifier: Apache-2.0
#include "model/lint.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/expect_error.h"

namespace sextant {
namespace {

ModelFiles files_of(const std::string& config) {
  return {.name = "config.json",
          .config = JsonFile{.name = "config.json", .value = parse_json(config, "config.json")}};
}

// Two faults, of R08 and R03, and notes.
ModelFiles faulty() {
  return files_of(R"({"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32,
    "num_hidden_layers": 2, "max_position_embeddings": 4096, "rope_theta": 10000.0,
    "torch_dtype": "bfloat16",
    "rope_scaling": {"type": "linear", "rope_type": "linear", "factor": 0.5}})");
}

TEST(Lint, PutsErrorsFirstAndKeepsTheOrderOfTheIds) {
  const std::vector<LintFinding> findings = lint(faulty());
  ASSERT_GE(findings.size(), 3U);
  EXPECT_EQ(findings[0].rule, "R08");
  EXPECT_EQ(findings[1].rule, "R03");
  EXPECT_TRUE(std::ranges::is_sorted(findings, [](const LintFinding& a, const LintFinding& b) {
    return a.severity != b.severity ? a.severity > b.severity : a.rule < b.rule;
  }));
  EXPECT_EQ(findings[0].file, "config.json");
  EXPECT_EQ(findings[0].where, "/rope_scaling/factor");
  EXPECT_EQ(findings[0].values.front(), std::pair(std::string("factor"), 0.5));
}

TEST(Lint, RunsOnlyTheRulesThatAreAskedFor) {
  const auto only = lint(faulty(), {.only = {"r03"}});
  ASSERT_EQ(only.size(), 1U);
  EXPECT_EQ(only[0].rule, "R03");
  for (const LintFinding& finding : lint(faulty(), {.ignored = {"factor-range", "R33"}})) {
    EXPECT_NE(finding.rule, "R08");
    EXPECT_NE(finding.rule, "R33");
  }
  EXPECT_TRUE(lint(faulty(), {.only = {"R03"}, .ignored = {"type-twice"}}).empty());
}

TEST(Lint, SuggestsTheNearestRule) {
  expect_error(ErrorCode::kUsage, "lint: no rule 'factor-rage' (did you mean 'factor-range'?)",
               [] { lint(faulty(), {.only = {"factor-rage"}}); });
}

TEST(LintRegistry, RefusesAnIdThatIsTaken) {
  LintRegistry registry;
  registry.add({.id = "R01", .name = "a"});
  EXPECT_THROW(registry.add({.id = "R01", .name = "b"}), Error);
  EXPECT_THROW(registry.add({.id = "R02", .name = "a"}), Error);
}

}  // namespace
}  // namespace sextant
