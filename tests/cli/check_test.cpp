// SPDX-License-Identifier: Apache-2.0
// check, as a user meets it.
#include <nlohmann/json.hpp>

#include "sextant/theorem.h"
#include "support/run_command.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

// Small, where a test asks about the form and not about the numbers.
const Words kSmall = {"--train", "16", "--to", "48", "--dim", "16", "--heads", "2", "--quiet"};

CommandResult check(Words words, const Words& options) {
  words.insert(words.begin(), "check");
  words.insert(words.end(), options.begin(), options.end());
  return sextant_command(words);
}

nlohmann::json check_json(Words words, const Words& options = {}) {
  words.insert(words.end(), {"--json", "--quiet"});
  const CommandResult result = check(words, options);
  EXPECT_EQ(result.status, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

TEST(CheckVerb, HasTheKeysOfTheContractForAllTheorems) {
  const CommandResult result = check({"--json"}, kSmall);
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_EQ(json.at("verb"), "check");
  EXPECT_EQ(json.at("options").at("train"), 16);
  ASSERT_EQ(json.at("checks").size(), theorems().entries().size());
  for (std::size_t k = 0; k < json["checks"].size(); ++k) {
    const auto& one = json["checks"][k];
    EXPECT_EQ(one["id"], theorems().entries()[k].info->id);
    for (const char* key : {"name", "title", "source", "claim", "statement", "conditions",
                            "verdict", "reason", "part", "quantity", "observed", "interval",
                            "lower", "bound", "findings", "figures", "note"})
      EXPECT_TRUE(one.contains(key)) << one["id"] << ": " << key;
    EXPECT_FALSE(one.contains("error")) << one["id"];
    EXPECT_FALSE(one["conditions"].empty()) << one["id"];
  }
}

// 1/4 alpha (d - N) = 1/4 * 0.1 * 150.
TEST(CheckVerb, FindsTheBoundOfAlibiVacuous) {
  const auto one =
      check_json({"T7", "--train", "50", "--to", "200", "--alpha", "0.1"})["checks"][0];
  EXPECT_EQ(one["verdict"], "vacuous here");
  EXPECT_NEAR(one["observed"].get<double>(), 6.5e-4, 5e-6);
  EXPECT_DOUBLE_EQ(one["bound"].get<double>(), 3.75);
  EXPECT_EQ(one["note"], "docs/math/alibi_extrapolation.md");
  EXPECT_EQ(check_json({"T7", "--to", "60"})["checks"][0]["verdict"], "holds");
}

TEST(CheckVerb, TakesIdsAndNamesInAnyCaseAndEachOnce) {
  const auto checks = check_json({"no_free_lunch", "t7", "T12", "ALIBI_extrapolation"})["checks"];
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[0]["id"], "T12");
  EXPECT_EQ(checks[1]["id"], "T7");
  EXPECT_EQ(checks[0]["verdict"].get<std::string>().find("not testable: "), 0U);
}

TEST(CheckVerb, TakesIdsSeparatedByCommas) {
  const auto checks = check_json({"T12,t7"})["checks"];
  ASSERT_EQ(checks.size(), 2U);
  EXPECT_EQ(checks[0]["id"], "T12");
  EXPECT_EQ(checks[1]["id"], "T7");
}

TEST(CheckVerb, GivesTheSameBytesForAnyNumberOfThreads) {
  EXPECT_EQ(check({"--json", "--threads", "1"}, kSmall).out,
            check({"--json", "--threads", "3"}, kSmall).out);
}

TEST(CheckVerb, SummarisesAllTheorems) {
  const CommandResult result = check({}, kSmall);
  EXPECT_EQ(result.status, 0) << result.err;
  for (const TheoremRegistry::Entry& entry : theorems().entries()) {
    EXPECT_NE(result.out.find("\n" + std::string(entry.info->id) + " "), std::string::npos)
        << entry.info->id;
    EXPECT_NE(result.out.find(std::string(entry.info->title.substr(0, 8))), std::string::npos);
  }
  EXPECT_EQ(result.out.find("\033["), std::string::npos);
  const std::string table = result.out.substr(0, result.out.find("\n\n"));
  EXPECT_EQ(table.find("..."), std::string::npos) << "titles are not cut";
}

// Wrapped text as one line of words.
std::string unwrapped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const char next = c == '\n' ? ' ' : c;
    if (next != ' ' || !result.ends_with(' ')) result += next;
  }
  return result;
}

TEST(CheckVerb, ShowsAllFindingsWhenAsked) {
  const auto findings = check_json({"T1'"}, kSmall)["checks"][0]["findings"];
  ASSERT_GT(findings.size(), 24U);
  const std::string some = check({"T1'"}, kSmall).out, all = check({"T1'", "--all"}, kSmall).out;
  EXPECT_NE(some.find("--all shows them"), std::string::npos);
  EXPECT_EQ(all.find("more findings"), std::string::npos);
  const std::string page = unwrapped(all);
  for (const auto& finding : findings)
    EXPECT_NE(page.find(finding["part"].get<std::string>()), std::string::npos) << finding["part"];
  expect_failure(2, "--all", {"check", "--all"});
}

// A figure without a point has no title either.
TEST(CheckVerb, LeavesOutEmptyFigures) {
  const Words words = {"T5", "--encodings", "rope"};
  const auto figures = check_json(words, kSmall)["checks"][0]["figures"];
  const std::string page = unwrapped(check(words, kSmall).out);
  std::size_t empty = 0;
  for (const auto& figure : figures) {
    bool drawn = false;
    for (const auto& curve : figure["curves"])
      for (const auto& y : curve["y"]) drawn = drawn || y.is_number();
    EXPECT_EQ(page.find(figure["title"].get<std::string>()) != std::string::npos, drawn)
        << figure["title"];
    if (!drawn) ++empty;
  }
  EXPECT_GT(empty, 0U) << "rope has no rows";
}

TEST(CheckVerb, PrintsAPageWithAllConditionsAndAPlot) {
  const CommandResult result = check({"T7"}, {});
  ASSERT_EQ(result.status, 0) << result.err;
  const TheoremInfo& info = *theorems().find("T7").info;
  const std::string page = unwrapped(result.out);
  for (const std::string_view part : {info.source, info.claim, info.statement})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  for (const std::string_view condition : info.conditions)
    EXPECT_NE(page.find(condition), std::string::npos) << condition;
  EXPECT_NE(page.find("Verdict vacuous here"), std::string::npos) << page;
  EXPECT_NE(page.find("schedule inverse"), std::string::npos);
  EXPECT_NE(page.find("docs/math/alibi_extrapolation.md"), std::string::npos);
  EXPECT_NE(page.find("log10 of change of the weight against distance d"), std::string::npos);
  EXPECT_NE(page.find("published bound"), std::string::npos);
}

TEST(CheckVerb, ListsTheTheoremsWithoutChecking) {
  const CommandResult text = sextant_command({"check", "--list"});
  EXPECT_EQ(text.status, 0) << text.err;
  for (const TheoremRegistry::Entry& entry : theorems().entries())
    EXPECT_NE(text.out.find(entry.info->name), std::string::npos);
  EXPECT_EQ(check_json({"--list"})["theorems"].size(), theorems().entries().size());
  expect_failure(2, "--list", {"check", "--list", "T7"});
}

TEST(CheckVerb, NamesTheOptionThatIsWrong) {
  expect_failure(2, "--to", {"check", "T7", "--train", "50", "--to", "50"});
  expect_failure(2, "--train", {"check", "T7", "--train", "0"});
  expect_failure(2, "--to", {"check", "T7", "--to", "0"});
  expect_failure(2, "--dim", {"check", "T7", "--dim", "0"});
  expect_failure(2, "--heads", {"check", "T7", "--heads", "0"});
  expect_failure(2, "--alpha", {"check", "T7", "--alpha", "0"});
  expect_failure(2, "--alpha", {"check", "T7", "--alpha", "-1"});
  expect_failure(2, "--alpha", {"check", "T7", "--alpha", "nan"});
  expect_failure(5, "--to", {"check", "T7", "--to", "10000000"});
  expect_failure(5, "--dim", {"check", "T7", "--dim", "2048"});
  expect_failure(2, "did you mean 'rope'", {"check", "T7", "--encodings", "ropes"});
  expect_failure(2, "--encodings", {"check", "T7", "--encodings", "rope,"});
  expect_failure(4, "missing.npy", {"check", "T7", "--encodings", "table:missing.npy"});
}

TEST(CheckVerb, SuggestsATheorem) {
  expect_failure(2, "did you mean 'no_free_lunch'", {"check", "no_free_lunsh"});
  expect_failure(2, "no theorem 'T99'", {"check", "T99"});
}

}  // namespace
}  // namespace sextant
