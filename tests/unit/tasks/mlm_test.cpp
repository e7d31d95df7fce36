// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/expect_error.h"
#include "support/token_corpus.h"

namespace sextant {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr std::int32_t kWords = 40;
constexpr Index kLength = 20;

// Two sequences of 20 and one of 19 tokens; none has a token of another.
std::shared_ptr<const TokenCorpus> three_texts() {
  std::vector<Ids> sequences = {Ids(20), Ids(20), Ids(19)};
  for (std::int32_t t = 0; t < 20; ++t) {
    sequences[0][static_cast<std::size_t>(t)] = t % 10;
    sequences[1][static_cast<std::size_t>(t)] = 10 + t % 10;
    if (t < 19) sequences[2][static_cast<std::size_t>(t)] = 20 + t;
  }
  return corpus_of(sequences, kWords);
}

// The tokens before any was hidden.
Ids restored(const Batch& batch) {
  Ids tokens = batch.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (batch.classes[i] != kNoTarget) tokens[i] = batch.classes[i];
  return tokens;
}

TEST(MaskedTokens, HideTheAskedShareOfEachSequence) {
  for (const auto& [spec, count] : {std::pair{"mlm", 3},
                                    {"mlm(share=0.5)", 10},
                                    {"mlm(share=0.001)", 1},
                                    {"mlm(share=1)", 20}}) {
    const Batch batch = tasks().make(spec, three_texts())->sample(1, 0, 50, kLength);
    ASSERT_EQ(batch.classes.size(), 1000U);
    for (std::ptrdiff_t row = 0; row < 50; ++row) {
      const auto begin = batch.classes.begin() + row * kLength;
      EXPECT_EQ(kLength - std::count(begin, begin + kLength, kNoTarget), count) << spec;
    }
  }
}

TEST(MaskedTokens, AreTheFirstTokensOfTextsThatAreLongEnough) {
  const Batch batch = tasks().make("mlm", three_texts())->sample(3, 1, 200, kLength);
  const Ids tokens = restored(batch);
  std::set<std::int32_t> firsts;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    firsts.insert(tokens[i - i % kLength]);
    EXPECT_EQ(tokens[i] % 10, static_cast<std::int32_t>(i % kLength % 10));
  }
  EXPECT_EQ(firsts, (std::set<std::int32_t>{0, 10}));
  EXPECT_TRUE(batch.present.empty());
}

TEST(MaskedTokens, ShowTheMaskInEightOfTenTargetsAndThemselvesInOne) {
  const auto task = tasks().make("mlm(share=0.5)", three_texts());
  const Batch batch = task->sample(1, 0, 4000, kLength);
  double targets = 0.0, masked = 0.0, same = 0.0;
  for (std::size_t i = 0; i < batch.tokens.size(); ++i) {
    if (batch.classes[i] == kNoTarget) continue;
    ++targets;
    if (batch.tokens[i] == kWords) ++masked;
    if (batch.tokens[i] == batch.classes[i]) ++same;
    EXPECT_NE(batch.tokens[i], kWords + 1);  // padding
  }
  // Random tokens are any of the words and [CLS], one of which is right. Five standard deviations.
  const auto within = [&](double p) { return 5.0 * std::sqrt(p * (1.0 - p) / targets); };
  const double kept = 0.1 + 0.1 / (kWords + 1);
  EXPECT_EQ(targets, 40000.0);
  EXPECT_NEAR(masked / targets, 0.8, within(0.8));
  EXPECT_NEAR(same / targets, kept, within(kept));
}

TEST(MaskedTokens, HideEveryPositionEquallyOften) {
  const Batch batch = tasks().make("mlm", three_texts())->sample(1, 0, 4000, kLength);
  std::vector<double> hidden(kLength);
  for (std::size_t i = 0; i < batch.classes.size(); ++i)
    if (batch.classes[i] != kNoTarget) ++hidden[i % kLength];
  for (const double count : hidden) EXPECT_NEAR(count, 600.0, 5.0 * std::sqrt(4000 * 0.15 * 0.85));
}

TEST(MaskedTokens, ShuffledHaveTheirTokensInAnyOrder) {
  const auto task = tasks().make("mlm(shuffled=1)", three_texts());
  const Ids tokens = restored(task->sample(1, 0, 4000, kLength));
  std::vector<double> at_first(10);
  for (std::size_t row = 0; row < tokens.size(); row += kLength) {
    Ids sorted(tokens.begin() + static_cast<std::ptrdiff_t>(row),
               tokens.begin() + static_cast<std::ptrdiff_t>(row) + kLength);
    ++at_first[static_cast<std::size_t>(sorted.front() % 10)];
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < kLength; ++i)
      EXPECT_EQ(sorted[i] - sorted[0], static_cast<std::int32_t>(i / 2));
  }
  for (const double count : at_first) EXPECT_NEAR(count, 400.0, 5.0 * std::sqrt(4000 * 0.09));
}

TEST(MaskedTokens, AreAFunctionOfSeedAndNumber) {
  const auto task = tasks().make("mlm(shuffled=1)", three_texts());
  const Batch batch = task->sample(1, 5, 8, kLength);
  EXPECT_EQ(task->sample(1, 5, 8, kLength).tokens, batch.tokens);
  EXPECT_EQ(task->sample(1, 5, 8, kLength).classes, batch.classes);
  EXPECT_NE(task->sample(1, 6, 8, kLength).tokens, batch.tokens);
  EXPECT_NE(task->sample(2, 5, 8, kLength).tokens, batch.tokens);
}

TEST(MaskedTokens, KnowTheirPositionsUnlessTheyAreShuffled) {
  // At each position one of two tokens; twenty tokens in all.
  const auto task = tasks().make("mlm", three_texts());
  EXPECT_NEAR(baseline_of(*task, kLength, "best constant").value, std::log(20.0), 1e-12);
  EXPECT_NEAR(baseline_of(*task, kLength, "best constant", true).value, 0.05, 1e-15);
  EXPECT_NEAR(baseline_of(*task, kLength, "position only").value, std::log(2.0), 1e-12);
  EXPECT_NEAR(baseline_of(*task, kLength, "chance").value, std::log(43.0), 1e-15);
  EXPECT_EQ(baseline_of(*task, kLength, "position only").caution, "too low by about 0.25");
  EXPECT_EQ(baseline_of(*task, kLength, "best constant").caution, "");
  const auto shuffled = tasks().make("mlm(shuffled=1)", three_texts());
  EXPECT_NEAR(baseline_of(*shuffled, kLength, "position only").value, std::log(20.0), 1e-12);
  EXPECT_EQ(baseline_of(*shuffled, kLength, "position only").caution, "");
}

TEST(MaskedTokens, HaveOneClassPerToken) {
  const TaskShape shape = tasks().make("mlm", three_texts())->shape();
  EXPECT_EQ(shape.vocabulary, kWords + 3);
  EXPECT_EQ(shape.outputs, kWords + 3);
  EXPECT_EQ(shape.readout, Readout::kEveryPosition);
}

TEST(MaskedTokens, NeedATextOfTheLength) {
  expect_error(ErrorCode::kUsage, "mlm: needs a corpus", [] { tasks().make("mlm"); });
  expect_error(ErrorCode::kUsage, "none of the 3 sequences has 21 tokens; the longest has 20",
               [] { tasks().make("mlm", three_texts())->sample(1, 0, 1, 21); });
}

}  // namespace
}  // namespace sextant
