// SPDX-License-Identifier: Apache-2.0
#include "training/token_corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "support/compressed.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using Ids = std::vector<std::int32_t>;
using Starts = std::vector<std::size_t>;
using Names = std::vector<std::string>;

std::shared_ptr<const TokenCorpus> read_as(std::string_view name, std::string_view content,
                                           TrialCorpus corpus = {},
                                           const CorpusReading& reading = {}) {
  const TemporaryDirectory folder;
  corpus.inputs = {folder.write(name, content).string()};
  return read_token_corpus(corpus, reading);
}

Ids sequence(const TokenCorpus& corpus, std::size_t i) {
  const auto at = [&](std::size_t k) {
    return corpus.tokens.begin() + static_cast<std::ptrdiff_t>(corpus.starts[k]);
  };
  return {at(i), at(i + 1)};
}

TEST(TokenCorpus, NumbersWordsByFrequencyAndThenByTheirBytes) {
  const auto corpus = read_as("a.txt", "c b b\n\nb d a c\n");
  // b three times, c twice, then a before d.
  EXPECT_EQ(corpus->tokens, (Ids{1, 0, 0, 0, 3, 2, 1}));
  EXPECT_EQ(corpus->starts, (Starts{0, 3, 7}));
  EXPECT_EQ(corpus->size(), 2U);
  EXPECT_TRUE(corpus->labels.empty());
  const std::set<std::int32_t> specials = {corpus->mask, corpus->pad, corpus->cls};
  EXPECT_EQ(specials, (std::set<std::int32_t>{4, 5, 6}));
  EXPECT_EQ(corpus->vocabulary, 7);
}

TEST(TokenCorpus, GivesOneIdToAllWordsBeyondTheVocabulary) {
  const auto corpus = read_as("a.txt", "c b b\nb d a c\n", {.vocabulary = 2});
  EXPECT_EQ(corpus->tokens, (Ids{1, 0, 0, 0, 2, 2, 1}));
  EXPECT_EQ(corpus->vocabulary, 2 + 1 + 3);
  EXPECT_EQ(read_as("a.txt", "c b b\nb d a c\n", {.vocabulary = 4})->vocabulary, 4 + 3);
}

TEST(TokenCorpus, NumbersLabelsInTheOrderOfTheirNames) {
  const auto numbered = read_as("a.tsv", "pos\tx y\nneg\ty\npos\tz\n", {.label_column = "1"});
  EXPECT_EQ(numbered->label_names, (Names{"neg", "pos"}));
  EXPECT_EQ(numbered->labels, (Ids{1, 0, 1}));
  const auto named = read_as("a.csv", "text,label\n\"x, y\",b\nz,a\n",
                             {.text_column = "text", .label_column = "label"});
  EXPECT_EQ(named->labels, (Ids{1, 0}));
  EXPECT_EQ(named->starts, (Starts{0, 2, 3}));
}

TEST(TokenCorpus, TakesFieldsOfJsonLinesForColumns) {
  const auto corpus =
      read_as("a.jsonl", "{\"body\": \"x y\", \"y\": 10}\n{\"body\": \"z\", \"y\": 9}\n",
              {.text_column = "body", .label_column = "y"});
  EXPECT_EQ(corpus->label_names, (Names{"10", "9"}));
  EXPECT_EQ(corpus->labels, (Ids{0, 1}));
}

TEST(TokenCorpus, LeavesOutTextsWithoutTokensTogetherWithTheirLabels) {
  const auto corpus = read_as("a.tsv", "a\tx\nb\t \na\ty\n", {.label_column = "1"});
  EXPECT_EQ(corpus->size(), 2U);
  EXPECT_EQ(corpus->labels, (Ids{0, 0}));
}

TEST(TokenCorpus, IsTheSameFromACompressedFile) {
  const std::string text = "1\tone two\n0\tthree\n";
  const auto plain = read_as("a.tsv", text, {.label_column = "1"});
  for (const auto& [name, bytes] : {std::pair{"a.tsv.gz", gzip(text)}, {"a.tsv.zst", zstd(text)}}) {
    const auto packed = read_as(name, bytes, {.label_column = "1"});
    EXPECT_EQ(packed->tokens, plain->tokens);
    EXPECT_EQ(packed->labels, plain->labels);
    EXPECT_EQ(packed->hash, plain->hash);
  }
}

TEST(TokenCorpus, HashesRecordsAndLabelsInAnyOrder) {
  const TrialCorpus labelled = {.label_column = "1"};
  const std::string hash = read_as("a.tsv", "1\tx\n0\ty\n", labelled)->hash;
  EXPECT_EQ(hash.size(), 32U);
  EXPECT_EQ(read_as("b.tsv", "0\ty\n1\tx\n", labelled)->hash, hash);
  EXPECT_NE(read_as("a.tsv", "1\tx\n1\ty\n", labelled)->hash, hash);
  EXPECT_NE(read_as("a.tsv", "1\tx\n0\ty\n")->hash, hash);
}

TEST(TokenCorpus, AddsSpecialIdsAboveTheBytes) {
  const auto corpus = read_as("a.txt", "AB\n", {.tokenizer = "bytes"});
  EXPECT_EQ(corpus->tokens, (Ids{65, 66}));
  EXPECT_EQ(corpus->mask, 256);
  EXPECT_EQ(corpus->pad, 257);
  EXPECT_EQ(corpus->vocabulary, 259);
}

TEST(TokenCorpus, TakesTheSpecialIdsOfAWordPieceVocabulary) {
  const TemporaryDirectory folder;
  const std::string vocabulary =
      folder.write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ncat\nthe\n").string();
  const auto corpus = read_as("a.txt", "the cat\n", {.tokenizer = "wordpiece:" + vocabulary});
  EXPECT_EQ(corpus->tokens, (Ids{6, 5}));
  EXPECT_EQ(corpus->pad, 0);
  EXPECT_EQ(corpus->cls, 2);
  EXPECT_EQ(corpus->mask, 4);
  EXPECT_EQ(corpus->vocabulary, 7);
}

TEST(TokenCorpus, ReadsNoMoreSequencesThanTheLimit) {
  EXPECT_EQ(read_as("a.txt", "a\nb\nc\n", {.limit = 2})->size(), 2U);
  const auto drawn = read_token_corpus({.inputs = {"synthetic:drift(positions=5)"}, .limit = 7});
  EXPECT_EQ(drawn->size(), 7U);
  EXPECT_EQ(drawn->tokens.size(), 35U);
}

TEST(TokenCorpus, NamesTheFileThatHasNothingToUse) {
  expect_error(ErrorCode::kMalformed, "a.tsv: no tokens in 2 records",
               [] { read_as("a.tsv", "1\t \n0\t\n"); });
  expect_error(ErrorCode::kUsage, "a.txt: plain text has no labels",
               [] { read_as("a.txt", "x\n", {.label_column = "1"}); });
  expect_error(ErrorCode::kUsage, "the header has no label column 'lable' (did you mean 'label'?)",
               [] { read_as("a.tsv", "label\ttext\n1\tx\n", {.label_column = "lable"}); });
  expect_error(ErrorCode::kMalformed, "a.tsv:2: the label is empty",
               [] { read_as("a.tsv", "1\tx\n\ty\n", {.label_column = "1"}); });
  expect_error(ErrorCode::kUnreadable, "missing.tsv",
               [] { read_token_corpus({.inputs = {"missing.tsv"}}); });
  expect_error(ErrorCode::kUsage, "no input", [] { read_token_corpus({}); });
}

TEST(TokenCorpus, RefusesOptionsThatDoNotFit) {
  expect_error(ErrorCode::kUsage, "'xml' is none of auto, text, tsv, csv, jsonl",
               [] { read_as("a.txt", "x\n", {.format = "xml"}); });
  expect_error(ErrorCode::kUsage, "only the tokenizer 'words' can be cut",
               [] { read_as("a.txt", "x\n", {.tokenizer = "bytes", .vocabulary = 5}); });
  std::string many;
  for (int i = 0; i < 10001; ++i) many += std::to_string(i) + "\tx\n";
  expect_error(ErrorCode::kUsage, "more than 10000 different labels",
               [&] { read_as("a.tsv", many, {.label_column = "1"}); });
}

TEST(TokenCorpus, IsRefusedBeforeItOutgrowsTheMemory) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "one two three four\n";
  // 40,000 tokens of four bytes; a vector that doubles needs up to three times as much.
  EXPECT_EQ(read_as("a.txt", text, {}, {.memory = 1'000'000})->tokens.size(), 40000U);
  expect_error(ErrorCode::kRefused, "a.txt: more than ",
               [&] { read_as("a.txt", text, {}, {.memory = 150'000}); });
}

TEST(TokenCorpus, ReportsItsProgress) {
  ReadProgress last;
  read_as("a.txt", "one\ntwo\n", {}, {.progress = [&](const ReadProgress& p) { last = p; }});
  EXPECT_EQ(last.bytes_read, 8U);
  EXPECT_EQ(last.bytes_total, 8U);
}

// Sequence i is the digits of i, each number three times, labelled by its parity.
TokenCorpus numbers(std::int32_t count) {
  TokenCorpus corpus{.tokens = {},
                     .starts = {0},
                     .labels = {},
                     .label_names = {"even", "odd"},
                     .vocabulary = 12,
                     .mask = 10,
                     .pad = 11,
                     .hash = "h"};
  for (int copy = 0; copy < 3; ++copy) {
    for (std::int32_t i = 0; i < count; ++i) {
      std::int32_t left = i;
      do corpus.tokens.push_back(left % 10);
      while ((left /= 10) > 0);
      corpus.starts.push_back(corpus.tokens.size());
      corpus.labels.push_back(i % 2);
    }
  }
  return corpus;
}

TEST(SplitCorpus, KeepsEqualSequencesOnOneSideAndLosesNone) {
  const TokenCorpus corpus = numbers(500);
  const auto [training, test] = split_corpus(corpus, 0.1, 1);
  EXPECT_EQ(test.size(), 150U);
  EXPECT_EQ(training.size(), 1350U);
  std::set<Ids> left, right;
  for (std::size_t i = 0; i < training.size(); ++i) left.insert(sequence(training, i));
  for (std::size_t i = 0; i < test.size(); ++i) {
    right.insert(sequence(test, i));
    EXPECT_EQ(test.labels[i], sequence(test, i).front() % 2);
  }
  EXPECT_EQ(left.size(), 450U);
  EXPECT_EQ(right.size(), 50U);
  for (const Ids& each : right) EXPECT_FALSE(left.contains(each));
  EXPECT_EQ(test.vocabulary, corpus.vocabulary);
  EXPECT_EQ(test.label_names, corpus.label_names);
  EXPECT_EQ(test.hash, corpus.hash);
}

TEST(SplitCorpus, DependsOnTheSeedAndOnNothingElse) {
  const TokenCorpus corpus = numbers(500);
  EXPECT_EQ(split_corpus(corpus, 0.1, 1).second.tokens, split_corpus(corpus, 0.1, 1).second.tokens);
  EXPECT_NE(split_corpus(corpus, 0.1, 1).second.tokens, split_corpus(corpus, 0.1, 2).second.tokens);
}

TEST(SplitCorpus, LeavesNoSideEmpty) {
  const auto [training, test] = split_corpus(numbers(2), 0.1, 1);
  EXPECT_EQ(training.size(), 3U);
  EXPECT_EQ(test.size(), 3U);
  expect_error(ErrorCode::kMalformed, "training and test data need one each",
               [] { split_corpus(numbers(1), 0.5, 1); });
  for (const double share : {0.0, 1.0})
    expect_error(ErrorCode::kUsage, "must be between 0 and 1",
                 [&] { split_corpus(numbers(9), share, 1); });
}

// Sizes and class counts as their authors give them; see docs/tasks.md.
TEST(TokenCorpusData, OfSentimentAreReadAsTheyCome) {
  const char* folder = std::getenv("SEXTANT_DATA");
  if (folder == nullptr) GTEST_SKIP() << "SEXTANT_DATA is not set";
  const auto read_file = [&](const std::string& name) {
    return read_token_corpus(
        {.inputs = {std::string(folder) + "/" + name}, .label_column = "1", .vocabulary = 5000});
  };
  const auto glue = read_file("sst2/glue-train.tsv.gz");
  EXPECT_EQ(glue->size(), 67349U);
  EXPECT_EQ(glue->label_names, (Names{"0", "1"}));
  EXPECT_EQ(std::ranges::count(glue->labels, 1), 37569);
  EXPECT_EQ(glue->vocabulary, 5000 + 1 + 3);
  const auto dev = read_file("sst2/dev.tsv");
  EXPECT_EQ(dev->size(), 872U);
  EXPECT_EQ(std::ranges::count(dev->labels, 1), 444);
  const auto imdb = read_file("imdb/train.tsv.gz");
  EXPECT_EQ(imdb->size(), 25000U);
  EXPECT_EQ(std::ranges::count(imdb->labels, 1), 12500);
}

}  // namespace
}  // namespace sextant
