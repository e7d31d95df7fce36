// SPDX-License-Identifier: Apache-2.0
// What holds for every verb: help, versions, unknown names, streams.
#include <nlohmann/json.hpp>

#include "support/run_command.h"

namespace sextant {
namespace {

const std::vector<std::string> kVerbs = {"check",     "completion", "docs",    "doctor",
                                         "encodings", "table",      "tokenize"};

TEST(Program, PrintsItsVersion) {
  const CommandResult result = sextant_command({"--version"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out.find("sextant "), 0U);
}

TEST(Program, NamesAnOptionThatIsRepeated) {
  expect_failure(2, "--seed: stands twice", {"encodings", "--seed", "1", "--seed", "2"});
  expect_failure(2, "--seeds: stands 3 times",
                 {"train", "--seeds", "1", "--seeds", "1", "--seeds", "2"});
}

TEST(Program, HelpNamesEveryVerb) {
  const CommandResult result = sextant_command({"--help"});
  EXPECT_EQ(result.status, 0);
  for (const std::string& verb : kVerbs) EXPECT_NE(result.out.find(verb), std::string::npos);
}

TEST(Program, HelpOfEveryVerbHasExamplesOfIt) {
  for (const std::string& verb : kVerbs) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{verb, "--help"}, std::vector<std::string>{"-h", verb}}) {
      const CommandResult result = sextant_command(arguments);
      EXPECT_EQ(result.status, 0) << verb;
      const auto examples = result.out.find("Examples");
      ASSERT_NE(examples, std::string::npos) << verb;
      EXPECT_NE(result.out.find("sextant " + verb, examples), std::string::npos) << verb;
    }
  }
}

TEST(Program, UnknownNamesAreUsageErrorsWithASuggestion) {
  expect_failure(2, "did you mean 'encodings'", {"encoding"});
  expect_failure(2, "did you mean '--positions'", {"table", "rope", "--positon", "4"});
  expect_failure(2, "did you mean '--version'", {"--versoin"});
  expect_failure(2, "did you mean 'always'", {"--color", "alway", "doctor"});
  expect_failure(2, "the verbs are", {"zzzzzzzzzzzz"});
  expect_failure(2, "unexpected argument 'more'", {"encodings", "rope", "more"});
}

TEST(Program, NeedsAVerb) { expect_failure(2, "--help", {}); }

TEST(Program, AnOptionThatDoesNothingIsRefused) {
  expect_failure(2, "--threads", {"doctor", "--threads", "2"});
  expect_failure(2, "--json", {"--json", "completion", "bash"});
  expect_failure(2, "--seed", {"table", "rope", "--seed", "3"});
  expect_failure(2, "--force", {"table", "rope", "--force"});
}

TEST(Program, GlobalOptionsStandBeforeOrAfterTheVerb) {
  const CommandResult before = sextant_command({"--json", "encodings", "none"});
  const CommandResult after = sextant_command({"encodings", "none", "--json"});
  EXPECT_EQ(before.status, 0);
  EXPECT_EQ(before.out, after.out);
}

TEST(Program, AnOptionWithoutItsValueIsAUsageError) {
  expect_failure(2, "--dim", {"table", "rope", "--dim"});
}

TEST(Program, UsageShowsWhichArgumentsRepeat) {
  EXPECT_NE(sextant_command({"lint", "--help"}).out.find("sextant lint [MODEL...] "),
            std::string::npos);
  EXPECT_NE(sextant_command({"table", "--help"}).out.find("sextant table SPEC "),
            std::string::npos);
}

TEST(Program, AnOptionGivenTwiceIsAUsageError) {
  expect_failure(2, "--dim", {"table", "rope", "--dim", "4", "--dim", "8"});
}

TEST(Program, AFullDiskUnderStdoutIsUnwritable) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--version"}, std::vector<std::string>{"encodings"},
        std::vector<std::string>{"table", "rope", "--what", "inv_freq", "--json"}}) {
    const CommandResult result = sextant_command(arguments, {.stdout_file = "/dev/full"});
    EXPECT_EQ(result.status, 6) << arguments[0];
    EXPECT_EQ(result.err.find("sextant: error: standard output"), 0U) << result.err;
  }
}

TEST(Program, AReaderThatLeavesIsNoFailure) {
  const CommandResult result = sextant_command({"encodings", "--json"}, {.close_reader = true});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
}

TEST(Program, ColourIsOffWithoutATerminalAndOnByRequest) {
  const std::string escape = "\033[";
  EXPECT_EQ(sextant_command({"encodings"}).out.find(escape), std::string::npos);
  EXPECT_NE(sextant_command({"encodings", "--color", "always"}).out.find(escape),
            std::string::npos);
}

TEST(Doctor, PassesItsChecks) {
  const CommandResult result = sextant_command({"doctor"});
  EXPECT_EQ(result.status, 0) << result.out;
  EXPECT_EQ(result.out.find("FAIL"), std::string::npos);
}

TEST(Doctor, SaysSoInJson) {
  const CommandResult result = sextant_command({"doctor", "--json"});
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json.at("schema"), 1);
  EXPECT_EQ(json.at("verb"), "doctor");
  EXPECT_EQ(json.at("passed"), true);
  for (const char* library : {"sextant", "compiler", "fmt", "Eigen", "Highway", "CLI11"}) {
    EXPECT_NE(json.at("versions").at(library), "") << library;
  }
  EXPECT_GE(json.at("checks").size(), 4U);
  EXPECT_TRUE(std::any_of(json.at("simd").begin(), json.at("simd").end(), [](const auto& target) {
    return target.at("compiled") == true && target.at("supported") == true;
  }));
}

TEST(Doctor, SaysThatNoFileCanBeWritten) {
  const CommandResult result =
      sextant_command({"doctor"}, {.environment = {"TMPDIR=/nonexistent", "LC_ALL=C.UTF-8"}});
  EXPECT_EQ(result.status, 6);
  EXPECT_NE(result.out.find("FAIL"), std::string::npos);
}

}  // namespace
}  // namespace sextant
