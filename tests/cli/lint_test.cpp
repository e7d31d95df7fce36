// SPDX-License-Identifier: Apache-2.0
// lint, as a user and a CI job meet it.
#include <nlohmann/json.hpp>

#include "model/lint.h"
#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

std::string config(const std::string& name) {
  return SEXTANT_SOURCE_DIR "/tests/data/configs/" + name + ".json";
}
const std::string kGood = config("good_llama31"), kError = config("r08_factor_below_one"),
                  kWarning = config("r04_default_with_factor");

CommandResult lint_command(Words words) {
  words.insert(words.begin(), "lint");
  return sextant_command(words);
}

TEST(LintVerb, FailsFromTheSeverityThatIsAskedFor) {
  const struct {
    std::string file, fail_on;
    int status;
  } cases[] = {{kGood, "error", 0},    {kGood, "warning", 0},    {kGood, "note", 1},
               {kWarning, "error", 0}, {kWarning, "warning", 1}, {kWarning, "never", 0},
               {kError, "error", 1},   {kError, "never", 0}};
  for (const auto& each : cases)
    EXPECT_EQ(lint_command({each.file, "--fail-on", each.fail_on}).status, each.status)
        << each.file << " " << each.fail_on;
  EXPECT_EQ(lint_command({kError}).status, 1) << "error is the default";
}

TEST(LintVerb, GroupsFindingsByFileAndFoldsNotes) {
  const CommandResult result = lint_command({kGood, kError});
  EXPECT_NE(result.out.find("R08"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("/rope_scaling/factor"), std::string::npos);
  EXPECT_NE(result.out.find("1 error, no warnings"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("in 2 files"), std::string::npos);
  EXPECT_EQ(result.out.find("R33"), std::string::npos) << "notes are counted";
  EXPECT_NE(lint_command({kGood, "--notes"}).out.find("R33"), std::string::npos);
  EXPECT_EQ(result.out.find("\033["), std::string::npos);
}

TEST(LintVerb, HasTheKeysOfTheContractInJson) {
  for (const Words& words : {Words{kError, "--json"}, Words{kError, "--format", "json"}}) {
    const CommandResult result = lint_command(words);
    EXPECT_EQ(result.status, 1);
    const auto json = nlohmann::json::parse(result.out);
    EXPECT_EQ(json.at("schema"), 1);
    EXPECT_EQ(json.at("verb"), "lint");
    EXPECT_EQ(json.at("summary").at("errors"), 1);
    ASSERT_FALSE(json.at("findings").empty());
    const auto& first = json["findings"][0];
    EXPECT_EQ(first.at("rule"), "R08");
    EXPECT_EQ(first.at("severity"), "error");
    EXPECT_EQ(first.at("where"), "/rope_scaling/factor");
    EXPECT_EQ(first.at("values").at("factor"), 0.25);
    EXPECT_FALSE(first.at("message").get<std::string>().empty());
  }
}

TEST(LintVerb, WritesSarifThatCodeScanningTakes) {
  const CommandResult result = lint_command({kError, kGood, "--format", "sarif"});
  EXPECT_EQ(result.status, 1);
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("version"), "2.1.0");
  const auto& run = json.at("runs").at(0);
  const auto& rules = run.at("tool").at("driver").at("rules");
  EXPECT_EQ(rules.size(), lint_rules().rules().size());
  ASSERT_FALSE(run.at("results").empty());
  for (const auto& each : run["results"]) {
    EXPECT_EQ(rules.at(each.at("ruleIndex").get<std::size_t>()).at("id"), each.at("ruleId"));
    const std::string level = each.at("level");
    EXPECT_TRUE(level == "error" || level == "warning" || level == "note") << level;
    EXPECT_FALSE(each.at("message").at("text").get<std::string>().empty());
    const auto& place = each.at("locations").at(0).at("physicalLocation");
    EXPECT_FALSE(place.at("artifactLocation").at("uri").get<std::string>().empty());
    EXPECT_GE(place.at("region").at("startLine").get<int>(), 1);
  }
  expect_failure(2, "--json", {"lint", kGood, "--json", "--format", "sarif"});
}

TEST(LintVerb, LintsTheOthersWhereAFileCannotBeRead) {
  const TemporaryDirectory folder;
  const std::string broken = folder.write("broken.json", "{").string();
  const CommandResult missing = lint_command({(folder / "none.json").string(), kError, broken});
  EXPECT_EQ(missing.status, 4) << "that of the first";
  EXPECT_NE(missing.out.find("R08"), std::string::npos) << missing.out;
  EXPECT_NE(missing.out.find("2 files could not be linted"), std::string::npos) << missing.out;
  EXPECT_NE(missing.err.find("sextant: error: "), std::string::npos);
  EXPECT_NE(missing.err.find("none.json"), std::string::npos);
  EXPECT_EQ(lint_command({kGood, broken}).status, 3);
}

TEST(LintVerb, AcceptsWhatTheBaselineHolds) {
  const TemporaryDirectory folder;
  const std::string baseline = (folder / "accepted.json").string();
  EXPECT_EQ(lint_command({kError, "--write-baseline", baseline}).status, 0);
  const CommandResult accepted = lint_command({kError, "--baseline", baseline});
  EXPECT_EQ(accepted.status, 0) << accepted.out;
  EXPECT_NE(accepted.out.find("accepted by the baseline"), std::string::npos) << accepted.out;
  const CommandResult other =
      lint_command({kWarning, "--baseline", baseline, "--fail-on", "warning"});
  EXPECT_EQ(other.status, 1);
  EXPECT_NE(other.out.find("stale in the baseline: "), std::string::npos) << other.out;
  expect_failure(6, "accepted.json", {"lint", kError, "--write-baseline", baseline});
  EXPECT_EQ(lint_command({kError, "--write-baseline", baseline, "--force"}).status, 0);
  const std::string broken = folder.write("broken.json", R"({"schema": 1})").string();
  expect_failure(3, "accepted", {"lint", kError, "--baseline", broken});
}

TEST(LintVerb, WritesItsOutputToAFile) {
  const TemporaryDirectory folder;
  const std::string file = (folder / "lint.json").string();
  const CommandResult result = lint_command({kGood, "--json", "-o", file});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.out, "");
  std::ifstream written(file);
  EXPECT_EQ(nlohmann::json::parse(written).at("verb"), "lint");
}

TEST(LintVerb, ChoosesRules) {
  EXPECT_EQ(lint_command({kError, "--ignore", "R08"}).status, 0);
  EXPECT_EQ(lint_command({kError, "--rule", "R09,theta-twice"}).status, 0);
  EXPECT_EQ(lint_command({kError, "--rule", "factor-range"}).status, 1);
  expect_failure(2, "did you mean 'factor-range'", {"lint", kError, "--rule", "factor-rang"});
}

TEST(LintVerb, ListsAndExplainsItsRules) {
  const CommandResult list = lint_command({"--list"});
  EXPECT_EQ(list.status, 0);
  for (const LintRule& rule : lint_rules().rules()) {
    EXPECT_NE(list.out.find(rule.id), std::string::npos) << rule.id;
    EXPECT_NE(list.out.find(rule.name), std::string::npos) << rule.name;
  }
  const CommandResult page = lint_command({"--explain", "R08"});
  EXPECT_EQ(page.status, 0);
  EXPECT_NE(page.out.find("factor-range"), std::string::npos);
  EXPECT_NE(page.out.find("arXiv:2309.00071"), std::string::npos);
  EXPECT_NE(page.out.find("\"factor\": 0.25"), std::string::npos) << page.out;
  EXPECT_EQ(lint_command({"--explain", "FACTOR-RANGE"}).out, page.out);
  expect_failure(2, "no rule 'R99'", {"lint", "--explain", "R99"});
  expect_failure(2, "--list", {"lint", "--list", kGood});
  expect_failure(2, "MODEL", {"lint"});
}

}  // namespace
}  // namespace sextant
