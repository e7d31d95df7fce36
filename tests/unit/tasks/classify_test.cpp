// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>

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
