// SPDX-License-Identifier: Apache-2.0
// Laws that every rule of the linter obeys. A new one is tested here without a new line.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "support/lint_configs.h"

namespace sextant {
namespace {

// Rules on weights, tokenizers and GGUF files have their twins in
// tests/unit/lint_rules/files_test.cpp.
constexpr std::string_view kRulesOnFiles[] = {"R18", "R40", "R41", "R42", "R44"};

bool is_on_files(std::string_view id) {
  return std::ranges::find(kRulesOnFiles, id) != std::end(kRulesOnFiles);
}

// An example of `--explain` with the sizes that it leaves out. Where it nests a text config, they
// belong there.
ModelFiles example_files(std::string_view example) {
  JsonInput config = parse_json(example, "example");
  JsonInput& text = config.contains("text_config") ? config["text_config"] : config;
  const JsonInput sizes = {{"model_type", "llama"},
                           {"hidden_size", 4096},
                           {"num_attention_heads", 32},
                           {"num_hidden_layers", 2},
                           {"max_position_embeddings", 4096}};
  for (const auto& [key, value] : sizes.items())
    if (!text.contains(key)) text[key] = value;
  return {.name = "example", .config = JsonFile{.name = "example", .value = std::move(config)}};
}

class LintLaws : public testing::TestWithParam<LintRule> {};

TEST_P(LintLaws, IsExplainedInFull) {
  const LintRule& rule = GetParam();
  ASSERT_EQ(rule.id.size(), 3U);
  EXPECT_EQ(rule.id.front(), 'R');
  EXPECT_EQ(rule.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"), rule.name.npos);
  for (const std::string_view text : {rule.title, rule.background, rule.broken, rule.fixed})
    EXPECT_FALSE(text.empty()) << rule.id;
  EXPECT_NE(rule.broken, rule.fixed);
  EXPECT_FALSE(rule.title.ends_with('.')) << rule.title;
  EXPECT_TRUE(rule.background.ends_with('.')) << rule.background;
  EXPECT_FALSE(rule.references.empty());
  EXPECT_NE(rule.check, nullptr);
}

TEST_P(LintLaws, IsFoundByItsIdAndItsName) {
  EXPECT_EQ(lint_rules().rule(GetParam().id).id, GetParam().id);
  EXPECT_EQ(lint_rules().rule(GetParam().name).id, GetParam().id);
}

TEST_P(LintLaws, HasABrokenTwin) {
  const auto configs = lint_configs();
  const bool in_folder = std::ranges::any_of(configs, [](const std::filesystem::path& path) {
    return expected_rule(path) == GetParam().id;
  });
  EXPECT_NE(in_folder, is_on_files(GetParam().id));
}

TEST_P(LintLaws, FindsItsExampleAndNotTheMendedOne) {
  const LintRule& rule = GetParam();
  if (is_on_files(rule.id)) GTEST_SKIP() << "its example is a folder";
  const LintOptions alone = {.only = {std::string(rule.id)}};
  EXPECT_FALSE(lint(example_files(rule.broken), alone).empty());
  const std::vector<LintFinding> mended = lint(example_files(rule.fixed), alone);
  EXPECT_TRUE(mended.empty()) << findings_text(mended, Severity::kNote);
}

TEST_P(LintLaws, IsInTheTableOfTheManual) {
  std::ifstream file(SEXTANT_SOURCE_DIR "/docs/lint.md");
  const std::string manual(std::istreambuf_iterator<char>(file), {});
  const LintRule& rule = GetParam();
  const std::string row = "| " + std::string(rule.id) + " | " + std::string(name(rule.severity)) +
                          " | `" + std::string(rule.name) + "` | " + std::string(rule.title) +
                          " |\n";
  EXPECT_NE(manual.find(row), std::string::npos) << "docs/lint.md lacks the line\n" << row;
}

INSTANTIATE_TEST_SUITE_P(All, LintLaws,
                         testing::ValuesIn(lint_rules().rules().begin(),
                                           lint_rules().rules().end()),
                         [](const auto& test) { return std::string(test.param.id); });

TEST(LintCatalogue, HoldsTheRulesInOrderEachOnce) {
  const auto rules = lint_rules().rules();
  ASSERT_EQ(rules.size(), 44U);
  for (std::size_t k = 0; k < rules.size(); ++k)
    EXPECT_EQ(std::stoul(std::string(rules[k].id.substr(1))), k + 1);
  std::set<std::string_view> names;
  for (const LintRule& rule : rules) EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
}

}  // namespace
}  // namespace sextant
