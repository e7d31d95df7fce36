// SPDX-License-Identifier: Apache-2.0
// What several ranks write is what one process writes, byte for byte.
#include <gtest/gtest.h>

#include "support/mpi_command.h"

namespace sextant {
namespace {

constexpr const char* kFew = "rope,alibi,sinusoidal,mds(rank=2),smacof(rank=3)";

// The report of one process and of 1 to 4 ranks: all files, and what is printed with --json.
void expect_same_reports(std::vector<std::string> arguments) {
  const TemporaryDirectory folder;
  arguments.insert(arguments.begin(), "report");
  arguments.insert(arguments.end(), {"--json", "--threads", "1", "--splits", "5", "-o"});
  const auto report = [&](const std::string& name) {
    std::vector<std::string> all = arguments;
    all.push_back((folder / name).string());
    return all;
  };
  const CommandResult one = sextant_command(report("one"));
  ASSERT_EQ(one.status, 0) << one.err;
  const auto expected = files_in(folder / "one");
  EXPECT_TRUE(expected.contains("report.json"));
  for (const int ranks : {1, 2, 3, 4}) {
    const std::string name = std::to_string(ranks);
    const CommandResult several = mpi_command(ranks, report(name));
    ASSERT_EQ(several.status, 0) << ranks << " ranks: " << several.err;
    EXPECT_EQ(several.out, one.out) << ranks << " ranks";
    const auto files = files_in(folder / name);
    for (const auto& [file, content] : expected) {
      ASSERT_TRUE(files.contains(file)) << ranks << " ranks: " << file;
      EXPECT_TRUE(files.at(file) == content) << ranks << " ranks: " << file << " differs";
    }
    EXPECT_EQ(files.size(), expected.size());
    EXPECT_FALSE(std::filesystem::exists(folder / name / ".checkpoint"));
  }
}

TEST(MpiReport, OfATableIsThatOfOneProcess) {
  const TemporaryDirectory folder;
  const auto text = folder.write("reviews.tsv", tsv_text(1500));
  expect_same_reports({text.string(), "--text-column", "text", "--positions", "16", "--shuffles",
                       "3", "--encodings", kFew});
}

TEST(MpiReport, OfTheBuiltInSampleIsThatOfOneProcess) {
  expect_same_reports({"--shuffles", "2", "--encodings", kFew});
}

TEST(MpiReport, OfSeveralFilesByAVocabularyIsThatOfOneProcess) {
  const TemporaryDirectory folder;
  std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nw\n##w\n";
  for (int digit = 0; digit < 10; ++digit) vocabulary += "##" + std::to_string(digit) + "\n";
  const auto vocab = folder.write("vocab.txt", vocabulary);
  const auto a = folder.write("a.tsv", tsv_text(700)), b = folder.write("b.tsv", tsv_text(41));
  expect_same_reports({a.string(), b.string(), "--text-column", "text", "--positions", "12",
                       "--tokens", "wordpiece:" + vocab.string(), "--shuffles", "2", "--length",
                       "any", "--encodings", kFew});
}

TEST(MpiVerbs, GeometryScoreAndFitAreThoseOfOneProcess) {
  const TemporaryDirectory folder;
  const auto text = folder.write("reviews.tsv", tsv_text(1200)).string();
  const auto other = folder.write("other.tsv", tsv_text(900)).string();
  const std::vector<std::string> corpus = {text, "--positions", "12", "--shuffles",
                                           "2",  "--splits",    "3",  "--json"};
  const auto same = [&](std::vector<std::string> arguments, int ranks) {
    arguments.insert(arguments.begin() + 1, corpus.begin(), corpus.end());
    const CommandResult one = sextant_command(arguments);
    const CommandResult several = mpi_command(ranks, arguments);
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(several.status, 0) << several.err;
    EXPECT_TRUE(several.out == one.out) << arguments.front();
  };
  same({"geometry", "--against", other}, 2);
  same({"geometry", "--metric", "total-variation", "--limit", "800"}, 3);
  same({"score", "--encodings", kFew}, 3);
  const auto fitted = (folder / "fit.npy").string();
  same({"fit", "--method", "smacof", "--rank", "2", "--force", "-o", fitted}, 3);
  const std::string points = content_of(fitted);
  same({"fit", "--method", "smacof", "--rank", "2", "--force", "-o", fitted}, 2);
  EXPECT_TRUE(content_of(fitted) == points);
}

TEST(MpiVerbs, HelpIsPrintedOnce) {
  const CommandResult one = sextant_command({"score", "--help"});
  const CommandResult three = mpi_command(3, {"score", "--help"});
  EXPECT_EQ(three.status, 0) << three.err;
  EXPECT_EQ(three.out, one.out);
}

}  // namespace
}  // namespace sextant
