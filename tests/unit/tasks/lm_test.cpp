// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/expect_error.h"
#include "support/token_corpus.h"

namespace sextant {
namespace {

using Ids = std::vector<std::int32_t>;

// Two texts, 0 to 9 and 10 to 14: the next token is the next number.
std::shared_ptr<const TokenCorpus> counting() {
  return corpus_of({{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {10, 11, 12, 13, 14}}, 15);
}

TEST(LanguageModel, HasTheNextTokenForItsTargetAlsoAtTheLastPosition) {
  const auto task = tasks().make("lm", counting());
  const Batch batch = task->sample(1, 0, 100, 4);
  ASSERT_EQ(batch.tokens.size(), 400U);
  ASSERT_EQ(batch.classes.size(), 400U);
  std::set<std::int32_t> firsts;
  for (std::size_t i = 0; i < batch.tokens.size(); ++i) {
    EXPECT_EQ(batch.classes[i], batch.tokens[i] + 1);
    EXPECT_EQ(batch.tokens[i], batch.tokens[i - i % 4] + static_cast<std::int32_t>(i % 4));
    firsts.insert(batch.tokens[i - i % 4]);
  }
  EXPECT_EQ(firsts, (std::set<std::int32_t>{0, 1, 2, 3, 4, 5, 10}));
  EXPECT_TRUE(task->info().causal);
}

TEST(LanguageModel, TakesTheBeginningOfTextsOrAllTextsAsOne) {
  const Batch start = tasks().make("lm(cut=start)", counting())->sample(1, 0, 50, 4);
  for (std::size_t row = 0; row < start.tokens.size(); row += 4)
    EXPECT_TRUE(start.tokens[row] == 0 || start.tokens[row] == 10);
  EXPECT_EQ(tasks().make("lm(cut=joined)", counting())->sample(1, 0, 1, 14).tokens,
            (Ids{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}));
}

TEST(LanguageModel, IsAFunctionOfSeedAndNumber) {
  const auto task = tasks().make("lm", counting());
  const Ids tokens = task->sample(1, 5, 20, 2).tokens;
  EXPECT_EQ(task->sample(1, 5, 20, 2).tokens, tokens);
  EXPECT_NE(task->sample(1, 6, 20, 2).tokens, tokens);
  EXPECT_NE(task->sample(2, 5, 20, 2).tokens, tokens);
}

TEST(LanguageModel, IsMeasuredAgainstTheEntropyOfItsTargets) {
  // Windows 01|12|23 ... have targets 1 to 9 and 11 to 14, once each.
  const auto task = tasks().make("lm", counting());
  EXPECT_NEAR(baseline_of(*task, 1, "best constant").value, std::log(13.0), 1e-12);
  EXPECT_NEAR(baseline_of(*task, 1, "position only").value, std::log(13.0), 1e-12);
  EXPECT_NEAR(baseline_of(*task, 1, "chance").value, std::log(18.0), 1e-15);
  // At each position after the first, one of the two texts.
  const auto start = tasks().make("lm(cut=start)", counting());
  EXPECT_NEAR(baseline_of(*start, 4, "position only").value, std::log(2.0), 1e-12);
  EXPECT_NEAR(baseline_of(*start, 4, "best constant").value, std::log(8.0), 1e-12);
}

TEST(LanguageModel, NeedsOneTokenMoreThanTheLength) {
  EXPECT_EQ(tasks().make("lm", counting())->sample(1, 0, 1, 9).tokens.front(), 0);
  expect_error(ErrorCode::kUsage, "none of the 2 sequences has 11 tokens; the longest has 10",
               [] { tasks().make("lm", counting())->sample(1, 0, 1, 10); });
}

}  // namespace
}  // namespace sextant
