// SPDX-License-Identifier: Apache-2.0
// --plan as a user meets it.
#include <nlohmann/json.hpp>

#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

class Plan : public testing::Test {
 protected:
  Plan() {
    std::string text;
    for (int i = 0; i < 400; ++i) {
      for (int k = 0; k < 20; ++k) text += " w" + std::to_string(i * (k + 1) % (20 * (k + 1)));
      text += "\n";
    }
    file_ = folder_.write("sample.txt", text).string();
  }
  std::size_t files() const {
    const std::filesystem::recursive_directory_iterator all(folder_.path());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }
  TemporaryDirectory folder_;
  std::string file_;
};

TEST_F(Plan, AnswersForEveryVerbThatMeasuresACorpusAndWritesNothing) {
  const std::string out = (folder_ / "out").string();
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"report", file_, "-o", out},
        {"score", file_},
        {"geometry", file_},
        {"fit", file_, "-o", out},
        {"count", file_, "-o", out},
        {"spectrum", file_, "-o", out}}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--plan", "--positions", "16", "--json"});
    const CommandResult result = sextant_command(all);
    ASSERT_EQ(result.status, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    EXPECT_EQ(json["verb"], words[0]);
    const auto& plan = json["plan"];
    EXPECT_EQ(plan["sample"]["whole"], true);
    EXPECT_EQ(plan["question"]["bytes"], plan["sample"]["bytes"]) << "the files are the corpus";
    EXPECT_EQ(plan["corpus"]["tokens"], 8000);
    EXPECT_NEAR(plan["corpus"]["cells"]["value"].get<double>(),
                plan["sample"]["prefixes"].back()["cells"].get<double>(), 1.0);
    EXPECT_EQ(plan["reduction"]["steps"], 0);
    EXPECT_EQ(plan["geometry"]["fits"], true);
    EXPECT_EQ(files(), 1U) << "the sample alone";
  }
}

TEST_F(Plan, AnswersForACorpusThatIsNotThere) {
  const CommandResult result =
      sextant_command({"report", file_, "--plan", "--bytes", "1TB", "--positions", "131072",
                       "--ranks", "64", "--mem", "16G", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto plan = nlohmann::json::parse(result.out)["plan"];
  EXPECT_EQ(plan["question"]["bytes"], 1e12);
  EXPECT_EQ(plan["question"]["positions"], 131072);
  EXPECT_EQ(plan["rank"]["bytes"], 1e12 / 64);
  EXPECT_EQ(plan["reduction"]["steps"], 6);
  EXPECT_EQ(plan["sample"]["long_enough"], false);
  EXPECT_EQ(plan["geometry"]["fits"], false);
  EXPECT_EQ(plan["memory"], 16e9);
  EXPECT_GE(plan["notes"].size(), 2U);
}

TEST_F(Plan, ShowsEveryNumberWithWhatItIsFrom) {
  const CommandResult result = sextant_command(
      {"score", file_, "--plan", "--bytes", "1G", "--positions", "16", "--ranks", "4"});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part : {"Plan for 1.00 GB", "4 ranks", "cells of 64 blocks", "memory per rank",
                           "network, rank 0", "2 steps", "matrix-free, per rank", "assumed"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
}

TEST_F(Plan, RefusesOptionsThatDoNothingAndACorpusOfUnknownSize) {
  expect_failure(2, "--ranks: does nothing without --plan", {"score", file_, "--ranks", "2"});
  expect_failure(2, "--bytes: does nothing without --plan", {"geometry", file_, "--bytes", "1T"});
  expect_failure(2, "--bytes", {"score", file_, "--plan", "--bytes", "1XB"});
  expect_failure(3, "stdin: empty", {"score", "-", "--plan"});
  expect_failure(2, "--distributions", {"score", "--distributions", "p.npy", "--plan"});
  expect_failure(4, "absent", {"score", (folder_ / "absent").string(), "--plan"});
}

}  // namespace
}  // namespace sextant
