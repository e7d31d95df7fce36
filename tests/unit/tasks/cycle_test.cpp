// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/enumeration.h"

namespace sextant {
namespace {

std::int32_t end_of_walk(const Word& steps, std::int32_t places) {
  std::int32_t at = 0;
  for (const std::int32_t step : steps) {
    if (step == 1) at = at + 1 == places ? 0 : at + 1;
    if (step == 2) at = at == 0 ? places - 1 : at - 1;
  }
  return at;
}

TEST(Cycle, LabelsAreWhereTheWalkEnds) {
  const Batch batch = tasks().make("cycle")->sample(1, 0, 100, 11);
  for (std::ptrdiff_t i = 0; i < 100; ++i) {
    const auto first = batch.tokens.begin() + 11 * i;
    EXPECT_EQ(batch.classes[static_cast<std::size_t>(i)], end_of_walk({first, first + 11}, 5));
  }
}

TEST(Cycle, BestConstantIsThatOfAllWalks) {
  for (const std::int32_t places : {2, 5}) {
    const auto task = tasks().make("cycle(places=" + std::to_string(places) + ")");
    for (const std::size_t n : {1, 2, 3, 7}) {
      Answers answers;
      for_each_word(n, 3, [&](const Word& word) { answers.add({}, end_of_walk(word, places)); });
      expect_baseline(*task, static_cast<Index>(n), "best constant", answers.best());
    }
  }
}

}  // namespace
}  // namespace sextant
