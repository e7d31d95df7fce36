// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/enumeration.h"

namespace sextant {
namespace {

TEST(Reversal, TargetsAreTheSequenceBackwards) {
  const Batch batch = tasks().make("reversal")->sample(1, 0, 3, 7);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t t = 0; t < 7; ++t)
      EXPECT_EQ(batch.classes[i * 7 + t], batch.tokens[i * 7 + 6 - t]);
}

TEST(Reversal, BestEquivariantPredictorIsThatOfAllSequences) {
  const auto task = tasks().make("reversal(vocabulary=3)");
  for (const std::size_t n : {1, 2, 3, 4, 5, 6}) {
    Answers answers;
    for_each_word(n, 3, [&](const Word& word) {
      for (std::size_t t = 0; t < n; ++t) answers.add(own_and_multiset(word, t), word[n - 1 - t]);
    });
    expect_baseline(*task, static_cast<Index>(n), "best equivariant", answers.best());
  }
}

TEST(Reversal, BestEquivariantPredictorBeatsChanceAtTwelveTokensOfTen) {
  // .2662 in an independent prototype, four digits.
  const auto task = tasks().make("reversal");
  EXPECT_NEAR(baseline(*task, 12, "best equivariant", true), 0.2662, 1e-4);
  EXPECT_NEAR(baseline(*task, 12, "chance", true), 0.1, 1e-15);
}

}  // namespace
}  // namespace sextant
