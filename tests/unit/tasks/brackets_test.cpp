// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/enumeration.h"

namespace sextant {
namespace {

// The partner of the closing bracket at `at`, by depth, going back; nothing is there: -1.
std::ptrdiff_t partner(const Word& word, std::size_t at, std::int32_t kinds) {
  Index depth = 0;
  for (auto t = static_cast<std::ptrdiff_t>(at); t >= 0; --t) {
    depth += word[static_cast<std::size_t>(t)] == kinds ? 1 : -1;
    if (depth == 0) return t;
  }
  return -1;
}

TEST(Brackets, TargetsAreTheKindsOfThePartners) {
  const Batch batch = tasks().make("brackets(kinds=4)")->sample(1, 0, 100, 15);
  for (std::size_t i = 0; i < 100; ++i) {
    const auto first = batch.tokens.begin() + static_cast<std::ptrdiff_t>(15 * i);
    const Word word(first, first + 15);
    for (std::size_t t = 0; t < 15; ++t) {
      const std::int32_t target = batch.classes[15 * i + t];
      if (word[t] < 4) {
        ASSERT_EQ(target, kNoTarget);
        continue;
      }
      const std::ptrdiff_t at = partner(word, t, 4);
      ASSERT_GE(at, 0) << "nothing is open";
      ASSERT_EQ(target, word[static_cast<std::size_t>(at)]);
    }
  }
}

TEST(Brackets, BestEquivariantPredictorIsThatOfAllTexts) {
  constexpr std::int32_t kKinds = 2;
  const auto task = tasks().make("brackets");
  for (const std::size_t n : {2, 3, 4, 7}) {
    Answers answers;
    for_each_word(n, kKinds + 1, [&](const Word& word) {
      double probability = 1.0;
      Index depth = 0;
      for (const std::int32_t token : word) {
        const bool closes = token == kKinds;
        if (closes && depth == 0) return;
        probability *= (depth == 0 ? 1.0 : 0.5) * (closes ? 1.0 : 1.0 / kKinds);
        depth += closes ? -1 : 1;
      }
      for (std::size_t t = 0; t < n; ++t)
        if (word[t] == kKinds)
          answers.add(own_and_multiset(word, t),
                      word[static_cast<std::size_t>(partner(word, t, kKinds))], probability);
    });
    expect_baseline(*task, static_cast<Index>(n), "best equivariant", answers.best());
  }
}

}  // namespace
}  // namespace sextant
