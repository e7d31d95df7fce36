// SPDX-License-Identifier: Apache-2.0
// What the plain tasks ask for, read from their batches.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/enumeration.h"

namespace sextant {
namespace {

constexpr Index kSequences = 200;

// Calls use(tokens, targets) for each sequence of a batch.
template <typename Use>
void for_each_sequence(const char* spec, Index length, const Use& use) {
  const Batch batch = tasks().make(spec)->sample(1, 0, kSequences, length);
  const auto targets = static_cast<Index>(batch.classes.size()) / kSequences;
  for (Index i = 0; i < kSequences; ++i) {
    const auto token = batch.tokens.begin() + i * length;
    const auto target = batch.classes.begin() + i * targets;
    use(Word(token, token + length), Word(target, target + targets));
  }
}

TEST(Order, AsksWhichOfTwoTokensThatOccurOnceComesFirst) {
  for_each_sequence("order", 12, [](const Word& tokens, const Word& label) {
    ASSERT_EQ(std::ranges::count(tokens, 0), 1);
    ASSERT_EQ(std::ranges::count(tokens, 1), 1);
    ASSERT_EQ(label.front(), std::ranges::find(tokens, 0) < std::ranges::find(tokens, 1) ? 1 : 0);
  });
}

TEST(Bag, NeverHasATie) {
  for (const char* spec : {"bag", "bag(vocabulary=2)"})
    for_each_sequence(spec, 6, [](const Word& tokens, const Word& label) {
      const auto lead = std::ranges::count(tokens, 1) - std::ranges::count(tokens, 0);
      ASSERT_NE(lead, 0);
      ASSERT_EQ(label.front(), lead > 0 ? 1 : 0);
    });
}

TEST(Copy, LooksBackByTheShift) {
  for_each_sequence("copy(shift=2)", 7, [](const Word& tokens, const Word& targets) {
    for (std::size_t t = 0; t < 7; ++t) ASSERT_EQ(targets[t], t < 2 ? kNoTarget : tokens[t - 2]);
  });
}

TEST(Duplicate, AsksForTheWordInTheLastPlaces) {
  for_each_sequence("duplicate", 7, [](const Word& tokens, const Word& targets) {
    ASSERT_EQ(Word(tokens.begin() + 3, tokens.end()), Word(4, 10));
    ASSERT_EQ(Word(targets.begin() + 4, targets.end()), Word(tokens.begin(), tokens.begin() + 3));
    ASSERT_EQ(Word(targets.begin(), targets.begin() + 4), Word(4, kNoTarget));
  });
}

TEST(EvenPairs, CountsUnequalNeighbours) {
  for_each_sequence("even_pairs", 9, [](const Word& tokens, const Word& label) {
    int unequal = 0;
    for (std::size_t t = 1; t < tokens.size(); ++t) unequal += tokens[t] != tokens[t - 1] ? 1 : 0;
    ASSERT_EQ(label.front(), unequal % 2 == 0 ? 1 : 0);
  });
}

TEST(EvenPairs, BestEquivariantPredictorIsThatOfAllSequences) {
  const auto task = tasks().make("even_pairs");
  for (const std::size_t n : {1, 2, 5, 8}) {
    Answers answers;
    for_each_word(n, 2, [&](const Word& word) {
      answers.add(own_and_multiset(word, n - 1), word.front() == word.back() ? 1 : 0);
    });
    expect_baseline(*task, static_cast<Index>(n), "best equivariant", answers.best());
  }
}

TEST(Parity, IsThatOfTheOnes) {
  for_each_sequence("parity", 9, [](const Word& tokens, const Word& label) {
    bool odd = false;
    for (const std::int32_t token : tokens) odd = odd != (token == 1);
    ASSERT_EQ(label.front(), odd ? 1 : 0);
  });
}

TEST(Passkey, HidesTheKeyBehindTheMarker) {
  for (const char* spec : {"passkey", "passkey(filler=blank)"})
    for_each_sequence(spec, 9, [](const Word& tokens, const Word& label) {
      const auto marker = std::ranges::find(tokens, 10);
      ASSERT_LT(marker - tokens.begin(), 7);
      ASSERT_EQ(*(marker + 1), label.front());
      ASSERT_EQ(std::ranges::count(tokens, 10), 1);
      ASSERT_EQ(tokens.back(), 11);
    });
}

}  // namespace
}  // namespace sextant
