// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "support/expect_error.h"
#include "support/token_corpus.h"

namespace sextant {
namespace {

using Ids = std::vector<std::int32_t>;
using Marks = std::vector<std::uint8_t>;

// Text i begins with i; labels 1, 0, 1, 2. Ids 20, 21, 22 are mask, padding and [CLS].
std::shared_ptr<const TokenCorpus> four_texts() {
  return corpus_of({{0, 10}, {1}, {2, 11, 12, 13, 14}, {3, 15, 16}}, 20, {1, 0, 1, 2});
}

TEST(Classify, CutsAndPadsTextsToTheLength) {
  const Batch batch = tasks().make("classify", four_texts())->sample(1, 0, 100, 3);
  ASSERT_EQ(batch.tokens.size(), 300U);
  ASSERT_EQ(batch.present.size(), 300U);
  ASSERT_EQ(batch.classes.size(), 100U);
  const std::map<Ids, std::pair<Marks, std::int32_t>> expected = {{{0, 10, 21}, {{1, 1, 0}, 1}},
                                                                  {{1, 21, 21}, {{1, 0, 0}, 0}},
                                                                  {{2, 11, 12}, {{1, 1, 1}, 1}},
                                                                  {{3, 15, 16}, {{1, 1, 1}, 2}}};
  for (std::ptrdiff_t row = 0; row < 100; ++row) {
    const auto at = batch.tokens.begin() + 3 * row;
    const auto found = expected.find(Ids(at, at + 3));
    ASSERT_NE(found, expected.end());
    const auto marks = batch.present.begin() + 3 * row;
    EXPECT_EQ(Marks(marks, marks + 3), found->second.first);
    EXPECT_EQ(batch.classes[static_cast<std::size_t>(row)], found->second.second);
  }
}

TEST(Classify, ReadsFromASignBeforeTheText) {
  const auto task = tasks().make("classify(readout=first)", four_texts());
  EXPECT_EQ(task->shape().readout, Readout::kFirst);
  const Batch batch = task->sample(1, 0, 50, 2);
  for (std::size_t row = 0; row < batch.tokens.size(); row += 2) {
    EXPECT_EQ(batch.tokens[row], 22);
    EXPECT_LT(batch.tokens[row + 1], 4);
  }
  EXPECT_TRUE(batch.present.empty()) << "no text is shorter than one token";
  EXPECT_EQ(tasks().make("classify", four_texts())->shape().readout, Readout::kMean);
  expect_error(ErrorCode::kUsage, "leaves no room for text", [&] { task->sample(1, 0, 1, 1); });
}

TEST(Classify, DrawsTextsEquallyOften) {
  const Batch batch = tasks().make("classify", four_texts())->sample(1, 0, 20000, 1);
  std::map<std::int32_t, double> counts;
  for (const std::int32_t token : batch.tokens) ++counts[token];
  ASSERT_EQ(counts.size(), 4U);
  for (const auto& [token, count] : counts)
    EXPECT_NEAR(count, 5000.0, 5.0 * std::sqrt(20000 * 3.0 / 16.0)) << token;
}

// Text i is the token i; of `size` texts every third has label 1.
std::shared_ptr<const TokenCorpus> short_texts(std::int32_t size) {
  std::vector<Ids> texts;
  Ids labels;
  for (std::int32_t i = 0; i < size; ++i) {
    texts.push_back({i});
    labels.push_back(i % 3 == 0 ? 1 : 0);
  }
  return corpus_of(texts, size, labels);
}

// All sequences of a test of at most `asked`.
Batch whole_test(const Task& task, std::uint64_t seed, Index asked) {
  const Index sequences = task.test_sequences(asked);
  Batch all;
  for (Index k = 0; k * kTestBatch < sequences; ++k) {
    const Batch batch = task.test_batch(seed, k, sequences, 1);
    all.tokens.insert(all.tokens.end(), batch.tokens.begin(), batch.tokens.end());
    all.classes.insert(all.classes.end(), batch.classes.begin(), batch.classes.end());
  }
  EXPECT_EQ(std::ssize(all.classes), sequences);
  return all;
}

TEST(Classify, TestsEveryTextOnceSoThatAConstantReachesItsBaseline) {
  for (const std::int32_t size : {2, 30, 50, 51, 130}) {
    const auto task = tasks().make("classify", short_texts(size));
    const Batch test = whole_test(*task, 7, 500);
    EXPECT_EQ(std::set(test.tokens.begin(), test.tokens.end()).size(),
              static_cast<std::size_t>(size));
    ASSERT_EQ(std::ssize(test.classes), size);
    const double right = static_cast<double>(std::ranges::count(test.classes, 0)) / size;
    EXPECT_EQ(right, baseline_of(*task, 1, "best constant", true).value) << size;
  }
}

TEST(Classify, TestsAsManyTextsAsAskedForAndNoneTwice) {
  const auto task = tasks().make("classify", short_texts(300));
  const Ids tested = whole_test(*task, 7, 120).tokens;
  EXPECT_EQ(std::set(tested.begin(), tested.end()).size(), 120U);
  EXPECT_EQ(whole_test(*task, 7, 120).tokens, tested);
  EXPECT_NE(whole_test(*task, 8, 120).tokens, tested) << "another seed has other texts";
  std::map<std::int32_t, int> counts;
  for (std::uint64_t seed = 0; seed < 1000; ++seed)
    for (const std::int32_t text : task->test_batch(seed, 0, 30, 1).tokens) ++counts[text];
  ASSERT_EQ(counts.size(), 300U);
  for (const auto& [text, count] : counts)  // binomial, 1000 times one in ten
    EXPECT_NEAR(count, 100.0, 5.0 * std::sqrt(90.0)) << text;
}

TEST(Classify, IsAFunctionOfSeedAndNumber) {
  const auto task = tasks().make("classify", four_texts());
  const Ids tokens = task->sample(1, 5, 20, 2).tokens;
  EXPECT_EQ(task->sample(1, 5, 20, 2).tokens, tokens);
  EXPECT_NE(task->sample(1, 6, 20, 2).tokens, tokens);
  EXPECT_NE(task->sample(2, 5, 20, 2).tokens, tokens);
}

TEST(Classify, IsMeasuredAgainstTheLabelsAlone) {
  const auto task = tasks().make("classify", four_texts());
  EXPECT_EQ(task->shape().outputs, 3);
  EXPECT_NEAR(baseline_of(*task, 3, "best constant").value, 1.5 * std::log(2.0), 1e-15);
  EXPECT_NEAR(baseline_of(*task, 3, "best constant", true).value, 0.5, 1e-15);
  EXPECT_NEAR(baseline_of(*task, 3, "chance").value, std::log(3.0), 1e-15);
  EXPECT_NEAR(baseline_of(*task, 3, "chance", true).value, 1.0 / 3.0, 1e-15);
}

TEST(Classify, NeedsLabelsThatDiffer) {
  expect_error(ErrorCode::kUsage, "classify: needs a label for each text",
               [] { tasks().make("classify", corpus_of({{1}}, 5)); });
  expect_error(ErrorCode::kUsage, "memory: all 2 texts have one label", [] {
    tasks().make("classify", corpus_of({{1}, {2}}, 5, {0, 0}));
  });
}

}  // namespace
}  // namespace sextant
