// SPDX-License-Identifier: Apache-2.0
#include "training/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sextant {
namespace {

using Values = std::vector<double>;

TEST(Summary, HasTheMomentsAndQuartilesOfSmallSets) {
  const Summary four = summary(Values{4.0, 1.0, 3.0, 2.0});
  EXPECT_EQ(four.count, 4);
  EXPECT_DOUBLE_EQ(four.mean, 2.5);
  EXPECT_DOUBLE_EQ(four.sd.value(), std::sqrt(5.0 / 3.0));
  EXPECT_DOUBLE_EQ(four.median, 2.5);
  EXPECT_DOUBLE_EQ(four.q1, 1.75);  // at 0.75 of the way from the first to the fourth value
  EXPECT_DOUBLE_EQ(four.q3, 3.25);
  const Summary five = summary(Values{10.0, 0.0, 20.0, 40.0, 30.0});
  EXPECT_DOUBLE_EQ(five.median, 20.0);
  EXPECT_DOUBLE_EQ(five.q1, 10.0);
  EXPECT_DOUBLE_EQ(five.q3, 30.0);
}

TEST(Summary, HasTheIntervalOfStudent) {
  // With two degrees of freedom t = q sqrt(2 / (1 - q^2)) for the central share q.
  const double t = 0.95 * std::sqrt(2.0 / (1.0 - 0.95 * 0.95));
  EXPECT_NEAR(summary(Values{1.0, 2.0, 3.0}).half_width.value(), t / std::sqrt(3.0), 1e-12);
}

TEST(Summary, SaysNothingOfTheSpreadOfOneValue) {
  const Summary one = summary(Values{7.0});
  EXPECT_EQ(one.mean, 7.0);
  EXPECT_EQ(one.q1, 7.0);
  EXPECT_EQ(one.q3, 7.0);
  EXPECT_FALSE(one.sd.has_value());
  EXPECT_FALSE(one.half_width.has_value());
}

// Twice the mid-rank of |d_i|: one for itself, two for each smaller one, one for each equal one.
int doubled_rank(const Values& d, std::size_t i) {
  int result = 1;
  for (const double other : d) {
    if (std::abs(other) < std::abs(d[i])) result += 2;
    if (std::abs(other) == std::abs(d[i])) result += 1;
  }
  return result;
}

// All sign patterns of the differences that are not zero.
double by_enumeration(const Values& d) {
  std::vector<int> ranks;
  int observed = 0, total = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    if (d[i] == 0.0) continue;
    ranks.push_back(doubled_rank(d, i));
    total += ranks.back();
    if (d[i] > 0.0) observed += ranks.back();
  }
  int extreme = 0;
  const unsigned patterns = 1U << ranks.size();
  for (unsigned signs = 0; signs < patterns; ++signs) {
    int sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i)
      if ((signs >> i & 1U) != 0) sum += ranks[i];
    if (std::abs(2 * sum - total) >= std::abs(2 * observed - total)) ++extreme;
  }
  return static_cast<double>(extreme) / patterns;
}

TEST(Wilcoxon, IsTheShareOfSignPatternsAsExtreme) {
  const std::vector<Values> cases = {
      {1.0},
      {1.0, 2.0, 3.0, 4.0, 5.0},
      {1.0, -2.0, 3.0, 4.0, -5.0, 6.0},
      {1.0, 1.0, -1.0, 2.0, 2.0, -3.0, 4.0},       // ties
      {0.0, 0.0, 1.0, -1.0, 2.0, 5.0, 5.0, -0.5},  // ties and zeros
      {-1.0, -1.0, -1.0, -1.0, -1.0},
      {0.25, -0.5, 3.0, 0.125, 8.0, 1.0, 1.5, -2.0, 0.75, 9.0, 4.0, -6.0, 7.0},
  };
  for (const Values& d : cases) EXPECT_DOUBLE_EQ(wilcoxon_two_sided(d), by_enumeration(d));
}

TEST(Wilcoxon, HasTwoPatternsAtTheEndHoweverManyPairs) {
  for (const int n : {2, 5, 20, 50}) {
    Values d(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = static_cast<double>(i + 1);
    EXPECT_EQ(wilcoxon_two_sided(d), std::ldexp(1.0, 1 - n));
  }
}

TEST(Wilcoxon, SeesNothingInZeros) {
  EXPECT_EQ(wilcoxon_two_sided(Values{0.0, 0.0}), 1.0);
  EXPECT_EQ(wilcoxon_two_sided(Values{}), 1.0);
}

TEST(PairedComparison, IsTheTTestOfTheDifferences) {
  // Differences 1, 2, 3: t = 2 sqrt(3), and with two degrees p = 1 - t / sqrt(2 + t^2).
  const PairedComparison c = paired_comparison(Values{11.0, 22.0, 33.0}, Values{10.0, 20.0, 30.0});
  EXPECT_EQ(c.pairs, 3);
  EXPECT_DOUBLE_EQ(c.difference.value(), 2.0);
  EXPECT_NEAR(c.p_t.value(), 1.0 - std::sqrt(12.0 / 14.0), 1e-14);
  EXPECT_EQ(c.p_wilcoxon.value(), 0.25);
}

TEST(PairedComparison, PairsTakeOutWhatSeedsShare) {
  const Values a = {1.0, 100.0, 10000.0}, b = {1.1, 100.11, 10000.105};
  EXPECT_LT(paired_comparison(a, b).p_t.value(), 0.01);
  const Values other = {10000.105, 1.1, 100.11};
  EXPECT_GT(paired_comparison(a, other).p_t.value(), 0.5);
}

TEST(PairedComparison, IsOfTheSeedsThatBothHave) {
  // Seed 1 is missing on one side, seed 4 on the other: 20 - 18 and 30 - 26 stay.
  const BySeed a = {{1, 10.0}, {2, 20.0}, {3, 30.0}}, b = {{2, 18.0}, {3, 26.0}, {4, 5.0}};
  const PairedComparison c = paired_comparison(a, b);
  EXPECT_EQ(c.pairs, 2);
  EXPECT_DOUBLE_EQ(c.difference.value(), 3.0);
  EXPECT_FALSE(paired_comparison(a, BySeed{{7, 1.0}}).difference.has_value());
}

TEST(PairedComparison, AnswersForTheEndsOfItsRange) {
  const PairedComparison same = paired_comparison(Values{1.0, 2.0}, Values{1.0, 2.0});
  EXPECT_EQ(same.p_t.value(), 1.0);
  EXPECT_EQ(same.p_wilcoxon.value(), 1.0);
  EXPECT_EQ(paired_comparison(Values{2.0, 3.0}, Values{1.0, 2.0}).p_t.value(), 0.0);
  EXPECT_FALSE(paired_comparison(Values{2.0}, Values{1.0}).p_t.has_value());
  EXPECT_FALSE(paired_comparison(Values{}, Values{}).p_wilcoxon.has_value());
  EXPECT_FALSE(paired_comparison(Values{}, Values{}).difference.has_value());
}

TEST(Holm, MultipliesByWhatIsLeftAndNeverFalls) {
  EXPECT_EQ(holm(Values{0.03, 0.01, 0.04}), (Values{2 * 0.03, 3 * 0.01, 2 * 0.03}));
  EXPECT_EQ(holm(Values{0.5, 0.9}), (Values{1.0, 1.0}));
  EXPECT_EQ(holm(Values{0.02}), Values{0.02});
  EXPECT_TRUE(holm(Values{}).empty());
}

}  // namespace
}  // namespace sextant
