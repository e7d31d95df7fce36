// SPDX-License-Identifier: Apache-2.0
// The verbs that measure a corpus, as a user meets them.
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "sextant/theorem.h"
#include "support/run_command.h"
#include "support/stopped_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class StudyVerbs : public testing::Test {
 protected:
  std::string file(std::string_view name) const { return (folder_ / name).string(); }

  // Sentences whose first word is special and whose others repeat.
  std::string corpus(int sentences) const {
    std::string text;
    for (int k = 0; k < sentences; ++k) {
      text += "start" + std::to_string(k % 5);
      for (int i = 1; i < 6; ++i) text += " w" + std::to_string((k * 7 + i * 11) % 23);
      text += " end" + std::to_string(k) + "\n";
    }
    return folder_.write("corpus.txt", text).string();
  }

  nlohmann::json json_of(Words arguments) const {
    arguments.insert(arguments.end(), {"--json", "--quiet"});
    const CommandResult result = sextant_command(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out);
  }

  TemporaryDirectory folder_;
};

TEST_F(StudyVerbs, ScoreTheKeysOfTheContract) {
  const auto json = json_of(
      {"score", corpus(900), "--positions", "6", "--encodings", "rope,alibi", "--shuffles", "3"});
  EXPECT_EQ(json["verb"], "score");
  EXPECT_EQ(json["corpus"]["used"], 900);
  EXPECT_EQ(json["positions"], 6);
  EXPECT_EQ(json["counts"].size(), 6U);
  for (const char* key :
       {"mean_distance", "min_distance", "max_distance", "rank", "rank_supported", "eigenvalues",
        "first_share", "signal_fraction", "corrected", "null", "stationary_floor", "ceiling"})
    EXPECT_TRUE(json["target"].contains(key)) << key;
  ASSERT_GE(json["rows"].size(), 7U);  // rope, alibi twice, four controls, perhaps a corrected fit
  for (const auto& row : json["rows"]) {
    for (const char* key : {"encoding", "geometry", "stress_raw", "stress_scaled", "scale",
                            "stress_corrected", "interval", "stress_null", "spearman"})
      EXPECT_TRUE(row.contains(key)) << key;
  }
}

TEST_F(StudyVerbs, WriteTheSameReportForAnyNumberOfThreads) {
  const std::string text = corpus(700);
  for (const char* threads : {"1", "2"}) {
    const CommandResult result =
        sextant_command({"report", text, "--positions", "6", "--shuffles", "4", "--splits", "4",
                         "--threads", threads, "-o", file(threads), "--quiet"});
    ASSERT_EQ(result.status, 0) << result.err;
  }
  for (const char* name : {"report.json", "report.html", "results.jsonl", "rows.csv",
                           "positions.csv", "mds.safetensors"}) {
    const std::string one = contents(folder_ / "1" / name);
    EXPECT_FALSE(one.empty()) << name;
    EXPECT_EQ(one, contents(folder_ / "2" / name)) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "1" / ".checkpoint"));
}

TEST_F(StudyVerbs, ReportAVerdictOnEveryTheorem) {
  ASSERT_EQ(sextant_command({"report", corpus(300), "--positions", "4", "--shuffles", "0",
                             "--encodings", "rope", "-o", file("out"), "--quiet"})
                .status,
            0);
  const auto json = nlohmann::json::parse(contents(folder_ / "out" / "report.json"));
  ASSERT_EQ(json["claims"].size(), theorems().entries().size());
  const std::string lines = contents(folder_ / "out" / "results.jsonl");
  for (std::size_t k = 0; k < json["claims"].size(); ++k) {
    const auto& claim = json["claims"][k];
    EXPECT_EQ(claim["id"], theorems().entries()[k].info->id);
    EXPECT_FALSE(claim["verdict"].get<std::string>().empty());
    EXPECT_NE(lines.find("\"claim\":" + claim["id"].dump() + ","), std::string::npos);
    for (const auto& figure : claim["figures"])
      for (const auto& curve : figure["curves"]) EXPECT_LE(curve["x"].size(), 200U);
  }
}

TEST_F(StudyVerbs, AReportThatFailsLeavesNoFolder) {
  const TemporaryDirectory folder;
  const auto bad = folder.write("bad.jsonl", "{\"text\": \"a b c\"}\n{\n").string();
  const auto output = (folder / "new/out").string();
  const auto absent = (folder / "absent.txt").string();
  for (const auto& [input, encoding, status] :
       {std::tuple(bad, "rope", 3), std::tuple(absent, "rope", 4),
        std::tuple(std::string("synthetic:drift"), "bogus", 2)}) {
    const CommandResult result =
        sextant_command({"report", input, "--encodings", encoding, "-o", output});
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "new")) << status;
  }
}

TEST_F(StudyVerbs, KeepAnExistingReport) {
  const Words words = {"report", corpus(300), "--positions", "4",    "--shuffles", "1",
                       "-o",     file("out"), "--encodings", "rope", "--quiet"};
  ASSERT_EQ(sextant_command(words).status, 0);
  const std::string before = contents(folder_ / "out" / "report.json");
  expect_failure(6, "--force", words);
  EXPECT_EQ(contents(folder_ / "out" / "report.json"), before);
  Words forced = words;
  forced.push_back("--force");
  EXPECT_EQ(sextant_command(forced).status, 0);
}

TEST_F(StudyVerbs, FitWritesWhatMdsReads) {
  const std::string text = corpus(400), points = file("mds.safetensors");
  const auto fit = json_of({"fit", text, "--positions", "6", "--rank", "5", "-o", points});
  EXPECT_EQ(fit["rank"], 5);
  EXPECT_EQ(fit["parameters"], 5 * (6 + 64));
  EXPECT_LT(fit["stress_raw"].get<double>(), 1e-10);
  const auto score = json_of({"score", text, "--positions", "6", "--encodings",
                              "mds(file=" + points + ")", "--shuffles", "0"});
  bool found = false;
  for (const auto& row : score["rows"]) {
    if (row["encoding"] != "mds:mds.safetensors" && row["encoding"] != "mds(file=mds.safetensors)")
      continue;
    found = true;
    EXPECT_LT(row["stress_raw"].get<double>(), 1e-10);
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(sextant_command({"table", "mds(file=" + points + ")", "--positions", "6", "--dim", "8",
                             "-o", file("rows.npy")})
                .status,
            0);
}

TEST_F(StudyVerbs, EndWithTheStatusOfAnEncodingThatWasAskedForAndFailed) {
  const std::string text = corpus(300);
  const Words asked = {"score", text, "--positions", "4", "--dim", "7", "--shuffles", "0"};
  Words rope = asked;
  rope.insert(rope.end(), {"--encodings", "rope"});
  const CommandResult result = sextant_command(rope);
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_NE(result.err.find("rope could not be scored"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("rope"), std::string::npos);
  EXPECT_EQ(sextant_command(asked).status, 0) << "a run over the catalogue";
}

TEST_F(StudyVerbs, WarnOfACorpusThatIsMostlyNoise) {
  const CommandResult result = sextant_command(
      {"geometry", "synthetic:drift(positions=8,sequences=60)", "--positions", "8", "--quiet"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("Warning: "), std::string::npos) << result.out;
}

TEST_F(StudyVerbs, ReplaceAReportOfABuiltInCorpus) {
  const Words words = {"report",
                       "synthetic:periodic",
                       "--positions",
                       "6",
                       "--shuffles",
                       "0",
                       "--encodings",
                       "rope",
                       "-o",
                       file("out"),
                       "--no-intervals",
                       "--force",
                       "--quiet"};
  EXPECT_EQ(sextant_command(words).status, 0);
  const CommandResult again = sextant_command(words);
  EXPECT_EQ(again.status, 0) << again.err;
}

TEST_F(StudyVerbs, KeepFoldersOutOfResults) {
  const std::string text = corpus(300), points = file("mds.npy");
  ASSERT_EQ(sextant_command({"fit", text, "--positions", "4", "--rank", "2", "-o", points}).status,
            0);
  const CommandResult result =
      sextant_command({"report", text, "--positions", "4", "--shuffles", "0", "--encodings",
                       "mds(file=" + points + ")", "-o", file("out"), "--quiet"});
  ASSERT_EQ(result.status, 0) << result.err;
  const std::string report = contents(folder_ / "out" / "report.json");
  EXPECT_EQ(report.find(folder_.path().string()), std::string::npos);
  EXPECT_NE(report.find("mds.npy"), std::string::npos);
}

TEST_F(StudyVerbs, CompareTwoCorpora) {
  const auto json =
      json_of({"geometry", "synthetic:drift(positions=8,sequences=20000,seed=1)", "--positions",
               "8", "--against", "synthetic:drift(positions=8,sequences=20000,seed=2)"});
  EXPECT_LT(json["comparison"]["stress"].get<double>(), 0.04);
}

TEST_F(StudyVerbs, SayHowLongSequencesAre) {
  expect_failure(3, "the longest has 7", {"score", corpus(20), "--positions", "50"});
}

TEST_F(StudyVerbs, TakeOneSequenceAndOneToken) {
  const std::string one = folder_.write("one.txt", "a b c d\n").string();
  const auto single = json_of({"score", one, "--positions", "4", "--encodings", "rope"});
  EXPECT_TRUE(single["target"]["signal_fraction"].is_null());
  std::string same;
  for (int k = 0; k < 300; ++k) same += "x x x\n";
  const auto flat = json_of({"score", folder_.write("same.txt", same).string(), "--positions", "3",
                             "--encodings", "rope"});
  EXPECT_TRUE(flat["target"]["indistinguishable"].get<bool>());
  EXPECT_EQ(flat["target"]["mean_distance"], 0.0);
  for (const auto& row : flat["rows"]) EXPECT_EQ(row["stress_raw"], 0.0);
}

TEST_F(StudyVerbs, RefuseWhatDoesNotFit) {
  expect_failure(5, "GB",
                 {"score", corpus(20), "--positions", "4", "--length", "any", "--mem", "1000"});
  expect_failure(2, "did you mean 'rope'", {"score", corpus(20), "--encodings", "ropes"});
  expect_failure(2, "must be given", {"score"});
  expect_failure(4, "missing.txt", {"geometry", file("missing.txt")});
  expect_failure(2, "--positions", {"geometry", corpus(20), "--positions", "0"});
  expect_failure(2, "rank",
                 {"fit", corpus(300), "--positions", "3", "--rank", "3", "-o", file("x.npy")});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.npy"));
}

TEST_F(StudyVerbs, MeasureGivenDistributions) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }";
  header.append(118 - header.size() - 1, ' ');
  header += '\n';
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  bytes += header;
  for (const double p : {1.0, 0.0, 0.0, 1.0, 0.5, 0.5})
    bytes.append(reinterpret_cast<const char*>(&p), 8);
  const auto json =
      json_of({"geometry", "--distributions", folder_.write("p.npy", bytes).string()});
  EXPECT_NEAR(json["target"]["max_distance"].get<double>(), std::sqrt(2.0), 1e-15);
}

TEST_F(StudyVerbs, ResumeReplacesNoFileOfOthers) {
  const std::string text = folder_.write("a.txt", "a b c\nb c a\nc a b\n").string();
  std::filesystem::create_directory(folder_ / "mine");
  folder_.write("mine/rows.csv", "mine");
  const CommandResult result = sextant_command(
      {"report", text, "--positions", "3", "--encodings", "rope", "-o", file("mine"), "--resume"});
  EXPECT_EQ(result.status, 6) << result.err;
  EXPECT_EQ(contents(folder_ / "mine/rows.csv"), "mine");
}

// A run that is stopped goes on with --resume and ends in the same bytes.
TEST_F(StudyVerbs, GoOnAfterASignal) {
  std::string text;
  for (int k = 0; k < 400000; ++k) {
    for (int i = 0; i < 24; ++i) text += "w" + std::to_string((k * 31 + i * i * 17) % 977) + " ";
    text += "\n";
  }
  const std::string corpus = folder_.write("large.txt", text).string();
  const Words common = {"report",     corpus, "--positions", "24", "--encodings", "rope",
                        "--shuffles", "8",    "--splits",    "2",  "--quiet"};
  Words whole = common, part = common;
  whole.insert(whole.end(), {"-o", file("whole")});
  part.insert(part.end(), {"-o", file("part")});
  ASSERT_EQ(sextant_command(whole).status, 0);
  Words stopped = part;
  stopped.insert(stopped.begin(), SEXTANT_BINARY);
  const CommandResult first = command_stopped_at(folder_ / "part/.checkpoint", stopped);
  ASSERT_EQ(first.status, 8) << first.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "part" / "report.json"));
  part.push_back("--resume");
  const CommandResult second = sextant_command(part);
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(contents(folder_ / "part" / "report.json"),
            contents(folder_ / "whole" / "report.json"));
}

}  // namespace
}  // namespace sextant
