// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <span>

#include "support/enumeration.h"

namespace sextant {
namespace {

// Splits at the last + or -, then at the last *: another way than from left to right.
std::int32_t value(std::span<const std::int32_t> text, std::int32_t m) {
  if (text.empty()) return 0;  // before a sign
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] != m && text[at] != m + 1) continue;
    const std::int32_t right = value(text.subspan(at + 1), m), left = value(text.first(at), m);
    return (left + (text[at] == m ? right : m - right)) % m;
  }
  for (std::size_t at = text.size(); at-- > 0;)
    if (text[at] == m + 2) return value(text.first(at), m) * value(text.subspan(at + 1), m) % m;
  return text.front();
}

bool is_expression(const Word& word, std::int32_t m) {
  for (std::size_t t = 0; t < word.size(); ++t)
    if ((word[t] < m) != ((word.size() - t) % 2 == 1)) return false;
  return word.size() % 2 == 1 || word.front() != m + 2;
}

TEST(Modular, LabelsAreValuesWithProductsBeforeSums) {
  const auto task = tasks().make("modular");
  for (const std::size_t n : {1, 2, 9, 12}) {
    const Batch batch = task->sample(1, 0, 200, static_cast<Index>(n));
    for (std::size_t i = 0; i < 200; ++i) {
      const auto first = batch.tokens.begin() + static_cast<std::ptrdiff_t>(i * n);
      const Word word(first, first + static_cast<std::ptrdiff_t>(n));
      ASSERT_TRUE(is_expression(word, 5));
      ASSERT_EQ(batch.classes[i], value(word, 5));
    }
  }
}

TEST(Modular, BestConstantIsThatOfAllExpressions) {
  constexpr std::int32_t kModulus = 3;
  const auto task = tasks().make("modular(modulus=3)");
  for (const std::size_t n : {1, 2, 3, 4, 5, 6}) {
    Answers answers;
    for_each_word(n, kModulus + 3, [&](const Word& word) {
      if (is_expression(word, kModulus)) answers.add({}, value(word, kModulus));
    });
    expect_baseline(*task, static_cast<Index>(n), "best constant", answers.best());
  }
}

}  // namespace
}  // namespace sextant
