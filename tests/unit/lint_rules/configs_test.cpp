// SPDX-License-Identifier: Apache-2.0
// Every rule on configs: families as published have no error and no warning, and each broken twin
// has exactly its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "support/lint_configs.h"

namespace sextant {
namespace {

class LintConfigs : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(LintConfigs, TripExactlyTheirRule) {
  const std::string rule = expected_rule(GetParam());
  const std::vector<LintFinding> findings = lint(open_model(GetParam(), true));
  for (const LintFinding& finding : findings) {
    if (finding.rule == rule) continue;
    EXPECT_EQ(finding.severity, Severity::kNote)
        << finding.rule << " " << finding.where << ": " << finding.message;
  }
  const bool is_found = std::ranges::any_of(
      findings, [&](const LintFinding& finding) { return finding.rule == rule; });
  EXPECT_EQ(is_found, !rule.empty()) << findings_text(findings, Severity::kNote);
}

TEST_P(LintConfigs, GiveFindingsThatSayWhatAndWhere) {
  for (const LintFinding& finding : lint(open_model(GetParam(), true))) {
    EXPECT_FALSE(finding.message.empty()) << finding.rule;
    EXPECT_EQ(finding.message.find('\n'), std::string::npos) << finding.message;
    EXPECT_FALSE(finding.message.ends_with('.')) << finding.message;
    EXPECT_NE(finding.file.find(GetParam().filename().string()), std::string::npos) << finding.file;
    EXPECT_TRUE(finding.where.starts_with('/')) << finding.rule << ": " << finding.where;
    EXPECT_LE(finding.severity, lint_rules().rule(finding.rule).severity) << finding.rule;
    EXPECT_FALSE(finding.change.empty()) << finding.rule << ": " << finding.message;
  }
}

INSTANTIATE_TEST_SUITE_P(All, LintConfigs, testing::ValuesIn(lint_configs()),
                         [](const auto& test) { return test.param.stem().string(); });

TEST(LintConfigFolder, HasManyGoodAndManyBrokenConfigs) {
  const std::vector<std::filesystem::path> all = lint_configs();
  const auto good = std::ranges::count_if(
      all, [](const std::filesystem::path& path) { return expected_rule(path).empty(); });
  EXPECT_GE(good, 30);
  EXPECT_GE(static_cast<std::ptrdiff_t>(all.size()) - good, 40);
}

}  // namespace
}  // namespace sextant
