// SPDX-License-Identifier: Apache-2.0
#include "training/token_windows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "support/expect_error.h"
#include "support/token_corpus.h"

namespace sextant {
namespace {

using Ids = std::vector<std::int32_t>;

std::multiset<Ids> all_windows(const TokenWindows& windows, Index length) {
  std::multiset<Ids> all;
  for (Index i = 0; i < windows.count(length); ++i) {
    const auto window = windows.window(i, length);
    all.insert(Ids(window.begin(), window.end()));
  }
  return all;
}

TEST(TokenWindows, AreTheFirstTokensOfSequencesThatAreLongEnough) {
  const TokenWindows windows(corpus_of({{1, 2}, {3, 4, 5, 6}, {7}, {8, 9, 0}}, 10), Cut::kStart);
  EXPECT_EQ(all_windows(windows, 2), (std::multiset<Ids>{{1, 2}, {3, 4}, {8, 9}}));
  EXPECT_EQ(all_windows(windows, 4), (std::multiset<Ids>{{3, 4, 5, 6}}));
}

TEST(TokenWindows, AnywhereAreAllOfEverySequenceAndCrossNoEnd) {
  const TokenWindows windows(corpus_of({{1, 2}, {3, 4, 5, 6}, {7}, {8, 9, 0}}, 10), Cut::kAnywhere);
  EXPECT_EQ(all_windows(windows, 2),
            (std::multiset<Ids>{{1, 2}, {3, 4}, {4, 5}, {5, 6}, {8, 9}, {9, 0}}));
  EXPECT_EQ(all_windows(windows, 1).size(), 10U);
}

TEST(TokenWindows, JoinedCrossTheEndsOfSequences) {
  const TokenWindows windows(corpus_of({{1, 2}, {3}, {4}}, 10), Cut::kJoined);
  EXPECT_EQ(all_windows(windows, 3), (std::multiset<Ids>{{1, 2, 3}, {2, 3, 4}}));
}

TEST(TokenWindows, AreEquallyLikely) {
  const TokenWindows windows(corpus_of({{0, 1, 2, 3, 4}, {5, 6, 7}}, 8), Cut::kAnywhere);
  constexpr int kDraws = 40000;
  std::map<std::int32_t, int> firsts;
  for (Index i = 0; i < kDraws; ++i) {
    Draws draws(1, 2, i);
    ++firsts[windows.drawn(draws, 3).front()];
  }
  ASSERT_EQ(firsts.size(), 4U);
  // Five standard deviations of a binomial of probability 1/4.
  for (const auto& [token, count] : firsts)
    EXPECT_NEAR(count, kDraws / 4.0, 5.0 * std::sqrt(kDraws * 3.0 / 16.0)) << token;
}

TEST(TokenWindows, SayWhichLengthTheCorpusDoesNotHave) {
  const auto corpus = corpus_of({{1, 2}, {3}}, 10);
  expect_error(ErrorCode::kUsage, "memory: none of the 2 sequences has 3 tokens; the longest has 2",
               [&] { TokenWindows(corpus, Cut::kStart).count(3); });
  expect_error(ErrorCode::kUsage, "memory: has 3 tokens; 4 are needed",
               [&] { TokenWindows(corpus, Cut::kJoined).count(4); });
  expect_error(ErrorCode::kUsage, "at least 1 token",
               [&] { TokenWindows(corpus, Cut::kStart).count(0); });
}

// In the first three tokens 0 1 2 | 0 2 2 | 0 1 0 of each text, position by position: 0 0 0, 1 2 1,
// 2 2 0. All nine: four 0, two 1, three 2. Chance is one of the vocabulary of five and three more.
TEST(TokenWindows, HaveBaselinesAsAccuracy) {
  const TokenWindows windows(corpus_of({{0, 1, 2}, {0, 2, 2, 4}, {0, 1, 0}}, 5), Cut::kStart);
  const auto accuracy = [&](const char* name, Index first, bool exchangeable) {
    for (const Baseline& each : windows.baselines(3, first, exchangeable))
      if (each.of_accuracy && each.name == name) return each.value;
    return -1.0;
  };
  EXPECT_NEAR(accuracy("best constant", 0, false), 4.0 / 9.0, 1e-15);
  EXPECT_NEAR(accuracy("position only", 0, false), (1.0 + 2.0 / 3.0 + 2.0 / 3.0) / 3.0, 1e-15);
  EXPECT_NEAR(accuracy("position only", 1, false), 2.0 / 3.0, 1e-15);
  EXPECT_NEAR(accuracy("position only", 0, true), 4.0 / 9.0, 1e-15);
  EXPECT_NEAR(accuracy("chance", 0, false), 1.0 / 8.0, 1e-15);
}

// The same numbers from all windows one by one.
TEST(TokenWindows, BaselinesAreEntropiesOfTheirTokens) {
  std::vector<Ids> sequences;
  const Rng rng(7, 0);
  for (std::uint64_t i = 0; i < 30; ++i) {
    Ids& row = sequences.emplace_back();
    for (std::uint64_t t = 0; t < 3 + i % 9; ++t)
      row.push_back(static_cast<std::int32_t>(5.0 * rng.uniform(100 * i + t)));
  }
  const auto corpus = corpus_of(sequences, 5);
  const auto entropy = [](const std::map<std::int32_t, double>& counts) {
    double total = 0.0, sum = 0.0;
    for (const auto& [token, count] : counts) total += count;
    for (const auto& [token, count] : counts) sum -= count / total * std::log(count / total);
    return sum;
  };
  const auto largest_share = [](const std::map<std::int32_t, double>& counts) {
    double total = 0.0, largest = 0.0;
    for (const auto& [token, count] : counts) total += count, largest = std::max(largest, count);
    return largest / total;
  };
  for (const Cut cut : {Cut::kStart, Cut::kAnywhere, Cut::kJoined}) {
    const TokenWindows windows(corpus, cut);
    for (const std::size_t first : {0U, 1U}) {
      constexpr Index kLength = 4;
      std::map<std::int32_t, double> pooled;
      double by_position = 0.0, right_by_position = 0.0;
      for (std::size_t t = first; t < kLength; ++t) {
        std::map<std::int32_t, double> here;
        for (const Ids& window : all_windows(windows, kLength))
          ++here[window[t]], ++pooled[window[t]];
        by_position += entropy(here) / static_cast<double>(kLength - first);
        right_by_position += largest_share(here) / static_cast<double>(kLength - first);
      }
      const auto found = windows.baselines(kLength, static_cast<Index>(first), false);
      EXPECT_NEAR(found[0].value, entropy(pooled), 1e-12);
      EXPECT_NEAR(found[1].value, largest_share(pooled), 1e-15);
      EXPECT_NEAR(found[2].value, by_position, 1e-12);
      EXPECT_NEAR(found[3].value, right_by_position, 1e-12);
      EXPECT_NEAR(found[4].value, std::log(8.0), 1e-15);
      EXPECT_NEAR(found[5].value, 1.0 / 8.0, 1e-15);
    }
  }
}

}  // namespace
}  // namespace sextant
