// SPDX-License-Identifier: Apache-2.0
// bench, as a user meets it. No test here looks at how long something takes.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

CommandResult bench(Words words, const CommandOptions& options = {}) {
  words.insert(words.begin(), "bench");
  return sextant_command(words, options);
}

nlohmann::json bench_json(Words words, const CommandOptions& options = {}) {
  words.push_back("--json");
  const CommandResult result = bench(std::move(words), options);
  EXPECT_EQ(result.status, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

void expect_time(const nlohmann::json& json) {
  for (const char* key : {"seconds", "median_seconds"}) {
    ASSERT_TRUE(json[key].is_number()) << json;
    EXPECT_GT(json[key].get<double>(), 0.0);
    EXPECT_LT(json[key].get<double>(), 1e6);
  }
  EXPECT_LE(json["seconds"], json["median_seconds"]);
}

TEST(Bench, ListsItsCases) {
  const std::string text = bench({"--list"}).out;
  const auto json = bench_json({"--list"});
  EXPECT_EQ(json["verb"], "bench");
  EXPECT_GE(json["cases"].size(), 20U);
  for (const auto& each : json["cases"]) {
    EXPECT_NE(text.find(each["name"].get<std::string>()), std::string::npos);
    EXPECT_NE(each["measures"], "");
  }
  EXPECT_EQ(bench_json({"alibi", "--list"})["cases"].size(), 2U);
}

TEST(Bench, ChecksAndTimesEveryCase) {
  const auto json = bench_json({"--quick", "--peers", "none", "--repeats", "2"});
  const auto known = bench_json({"--list"})["cases"];
  ASSERT_EQ(json["rows"].size(), known.size());
  std::set<std::string> names;
  for (const auto& row : json["rows"]) {
    SCOPED_TRACE(row["name"].get<std::string>());
    names.insert(row["name"]);
    EXPECT_EQ(row["checked"], true);
    EXPECT_TRUE(row["error"].is_null()) << row["error"];
    EXPECT_NE(row["size"], "");
    expect_time(row);
    EXPECT_NEAR(row["per_second"], row["amount"].get<double>() / row["seconds"].get<double>(),
                1e-9 * row["per_second"].get<double>());
    ASSERT_GE(row["rivals"].size(), 1U);
    EXPECT_EQ(row["rivals"][0]["plain"], true);
    for (const auto& rival : row["rivals"]) expect_time(rival);
    EXPECT_TRUE(row["peers"].empty());
    for (const auto& goal : row["goals"]) EXPECT_TRUE(goal["met"].is_null()) << "quick: no goal";
  }
  EXPECT_EQ(names.size(), known.size());
  EXPECT_TRUE(json["peers"].empty());
  EXPECT_EQ(json["options"]["threads"], 1);
  EXPECT_NE(json["provenance"]["processor"], "");
  EXPECT_TRUE(json["provenance"]["simd"].is_string());
  EXPECT_NE(json["provenance"]["version"], "");
}

TEST(Bench, PrintsATimeBesideEveryRival) {
  const CommandResult result = bench({"rotary-table", "--quick", "--peers", "none"});
  EXPECT_EQ(result.status, 0) << result.err;
  for (const char* part :
       {"rotary-table", "8192 positions x 128", "fill", "B/s", "R5", "1 thread;"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << result.out;
  const CommandResult lint = bench({"lint-config", "--quick", "--threads", "2"});
  EXPECT_NE(lint.out.find("no goal"), std::string::npos) << lint.out;
  EXPECT_NE(lint.out.find("2 threads;"), std::string::npos) << lint.out;
}

TEST(Bench, ShowsWhatPythonTakes) {
  const TemporaryDirectory folder;
  const std::filesystem::path python = folder.path() / "python3";
  std::ofstream(python) << "#!/bin/sh\n"
                           "printf 'library\\tnumpy\\t9.1\\n'\n"
                           "printf 'time\\trotary-table\\tnumpy\\t100\\t200\\n'\n"
                           "printf 'missing\\ttorch\\tNo module of that name\\n'\n";
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  const CommandOptions with = {
      .environment = {"PATH=" + folder.path().string() + ":/usr/bin:/bin", "LC_ALL=C.UTF-8"}};
  const auto json = bench_json({"rotary-table", "--quick"}, with);
  const auto& peer = json["rows"][0]["peers"][0];
  EXPECT_EQ(peer["name"], "numpy");
  EXPECT_EQ(peer["seconds"], 100.0);
  EXPECT_GT(peer["speed"], 1.0);
  EXPECT_EQ(json["peers"]["numpy"]["version"], "9.1");
  EXPECT_EQ(json["peers"]["torch"]["reason"], "No module of that name");
  const CommandResult text = bench({"rotary-table", "--quick"}, with);
  EXPECT_NE(text.out.find("numpy"), std::string::npos) << text.out;
  EXPECT_NE(text.err.find("sextant: note: without torch (No module of that name)"),
            std::string::npos)
      << text.err;
}

TEST(Bench, TakesAnotherPythonAndNothingOfTheFolderAtHand) {
  const TemporaryDirectory folder;
  std::ofstream(folder.path() / "json.py") << "raise SystemExit('the folder at hand was read')\n";
  const CommandResult there =
      run_command({"/bin/sh", "-c",
                   "cd '" + folder.path().string() +
                       "' && exec '" SEXTANT_BINARY
                       "' bench rotary-table --quick --python /usr/bin/python3 --json"});
  ASSERT_EQ(there.status, 0) << there.err;
  const auto json = nlohmann::json::parse(there.out);
  for (const auto& library : json["peers"]) {
    if (library["reason"].is_null()) continue;
    EXPECT_EQ(library["reason"].get<std::string>().find("No module named"), 0U) << library;
  }
  const auto none = bench_json({"rotary-table", "--quick", "--python", "/no/such/python3"});
  EXPECT_TRUE(none["peers"]["numpy"]["version"].is_null());
}

// With whatever python3 of this computer has.
TEST(Bench, RunsItsScriptWherePythonIs) {
  const auto json = bench_json({"rotary-table", "stress", "alibi", "rotary-f32", "--quick"});
  for (const auto& row : json["rows"]) {
    for (const auto& peer : row["peers"]) {
      EXPECT_TRUE(peer["error"].is_null()) << row["name"] << peer;
      expect_time(peer);
    }
  }
  for (const auto& library : json["peers"])
    EXPECT_NE(library["version"].is_null(), library["reason"].is_null()) << library;
}

TEST(Bench, RefusesWhatMeansNothing) {
  expect_failure(2, "did you mean 'stress'?", {"bench", "strss"});
  expect_failure(2, "there are", {"bench", "rotary-f64"});
  expect_failure(2, "--peers", {"bench", "--peers", "some", "--list"});
  expect_failure(2, "--repeats", {"bench", "--repeats", "0"});
  expect_failure(2, "--seed", {"bench", "--list", "--seed", "3"});
}

}  // namespace
}  // namespace sextant
