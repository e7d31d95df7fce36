// SPDX-License-Identifier: Apache-2.0
#include "training/class_baselines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace sextant {
namespace {

constexpr double kRounding = 1e-12;

// Sums over all kinds^tokens sequences, by their numbers of each kind.
Guess enumerated(Index tokens, Index kinds) {
  std::vector<double> counts(static_cast<std::size_t>(kinds), 0.0);
  Guess sum{.loss = 0.0, .accuracy = 0.0};
  const double share = std::pow(static_cast<double>(kinds), -static_cast<double>(tokens));
  const std::function<void(Index)> draw = [&](Index left) {
    if (left == 0) {
      std::vector<double> law = counts;
      for (double& p : law) p /= static_cast<double>(tokens);
      const Guess guess = guess_of_law(law);
      sum.loss += share * guess.loss;
      sum.accuracy += share * guess.accuracy;
      return;
    }
    for (double& count : counts) {
      count += 1.0;
      draw(left - 1);
      count -= 1.0;
    }
  };
  draw(tokens);
  return sum;
}

// Sums over vectors of counts c with their multinomial probabilities m! / prod c! / kinds^m.
double enumerated_largest_share(Index tokens, Index kinds) {
  double sum = 0.0;
  const std::function<void(Index, Index, Index, double)> place = [&](Index bins, Index left,
                                                                     Index most, double weight) {
    if (bins == 1) {
      const double ways = weight / std::tgamma(static_cast<double>(left) + 1.0);
      sum += ways * static_cast<double>(std::max(most, left));
      return;
    }
    for (Index c = 0; c <= left; ++c)
      place(bins - 1, left - c, std::max(most, c),
            weight / std::tgamma(static_cast<double>(c) + 1.0));
  };
  const auto m = static_cast<double>(tokens);
  place(kinds, tokens, 0, std::tgamma(m + 1.0) / std::pow(static_cast<double>(kinds), m));
  return sum / m;
}

TEST(MultisetGuess, AgreesWithTheEnumerationOfAllSequences) {
  for (const Index kinds : {1, 2, 3, 5}) {
    for (Index tokens = 1; tokens <= 6; ++tokens) {
      const Guess exact = multiset_guess(tokens, kinds), sum = enumerated(tokens, kinds);
      EXPECT_NEAR(exact.loss, sum.loss, kRounding) << tokens << " of " << kinds;
      EXPECT_NEAR(exact.accuracy, sum.accuracy, kRounding) << tokens << " of " << kinds;
    }
  }
}

TEST(MultisetGuess, AgreesWithTheEnumerationOfCountsAtElevenTokensOfTenKinds) {
  EXPECT_NEAR(multiset_guess(11, 10).accuracy, enumerated_largest_share(11, 10), kRounding);
}

TEST(MultisetGuess, TendsToTheUniformGuessInLongSequences) {
  // The largest of ten counts exceeds m/10 by about 1.54 standard deviations, as the largest of ten
  // normal numbers does; the entropy lacks 9 / 2m.
  const double m = 2000.0;
  const Guess guess = multiset_guess(2000, 10);
  EXPECT_NEAR(guess.accuracy - 0.1, 1.54 * std::sqrt(0.1 * 1.0 / m), 1e-3);
  EXPECT_NEAR(std::log(10.0) - guess.loss, 9.0 / (2.0 * m), 1e-5);
}

TEST(MultisetGuess, OfTwoKindsIsTheMeanDeviationOfCoins) {
  // E max(h, m - h) = m/2 + E|h - m/2|, and for even m de Moivre has E|h - m/2| = m/2 C(m, m/2)
  // 2^-m.
  for (const Index half : {1, 10, 500, 8192}) {
    const double m = 2.0 * static_cast<double>(half);
    double central = 1.0;  // C(m, m/2) 2^-m, a product of (2j - 1) / 2j
    for (Index j = 1; j <= half; ++j) central *= 1.0 - 0.5 / static_cast<double>(j);
    EXPECT_NEAR(multiset_guess(2 * half, 2).accuracy, 0.5 + 0.5 * central, 1e-11) << m;
  }
}

TEST(MultisetGuess, AgreesWithASumOverPairsOfCountsOfThreeKinds) {
  const Index m = 300;
  const std::vector<double> first = binomial_law(m, 1.0 / 3.0);
  double sum = 0.0;
  for (Index a = 0; a <= m; ++a) {
    const std::vector<double> second = binomial_law(m - a, 0.5);
    for (Index b = 0; a + b <= m; ++b)
      sum += first[static_cast<std::size_t>(a)] * second[static_cast<std::size_t>(b)] *
             static_cast<double>(std::max({a, b, m - a - b}));
  }
  EXPECT_NEAR(multiset_guess(m, 3).accuracy, sum / static_cast<double>(m), kRounding);
}

TEST(MultisetGuess, IsThereInATestAtALengthWhereProductsOfSeriesTakeHours) {
  // The largest of ten normal numbers is 1.5388 on average; what is left is of the order of 1/m.
  const double m = 100000.0;
  EXPECT_NEAR(multiset_guess(100000, 10).accuracy - 0.1, 1.5388 * std::sqrt(0.1 / m), 1.0 / m);
}

TEST(MultisetGuess, HasMoreKindsThanTokens) {
  // Two tokens are equal with probability 1/k, and then the guess is certain.
  const double k = 100000.0;
  EXPECT_NEAR(multiset_guess(2, 100000).accuracy, 0.5 + 0.5 / k, kRounding);
  EXPECT_NEAR(multiset_guess(2, 100000).loss, (1.0 - 1.0 / k) * std::log(2.0), 1e-10);
}

TEST(BinomialLaw, HasItsMomentsWhereFactorialsOverflow) {
  const std::vector<double> law = binomial_law(5000, 0.3);
  double sum = 0.0, mean = 0.0, square = 0.0;
  for (std::size_t k = 0; k < law.size(); ++k) {
    const auto x = static_cast<double>(k);
    sum += law[k];
    mean += law[k] * x;
    square += law[k] * (x - 1500.0) * (x - 1500.0);
  }
  EXPECT_NEAR(sum, 1.0, kRounding);
  EXPECT_NEAR(mean, 1500.0, 1e-9);
  EXPECT_NEAR(square, 1050.0, 1e-8);
}

TEST(BinomialLaw, IsCertainAtTheEnds) {
  EXPECT_EQ(binomial_law(2, 0.0), (std::vector<double>{1.0, 0.0, 0.0}));
  EXPECT_EQ(binomial_law(2, 1.0), (std::vector<double>{0.0, 0.0, 1.0}));
  EXPECT_EQ(binomial_law(0, 0.5), std::vector<double>{1.0});
}

TEST(GuessOfLaw, IsEntropyAndMode) {
  const std::vector<double> law = {0.5, 0.25, 0.25, 0.0};
  EXPECT_NEAR(guess_of_law(law).loss, 1.5 * std::log(2.0), kRounding);
  EXPECT_EQ(guess_of_law(law).accuracy, 0.5);
}

TEST(ClassBaselines, LeavesOutWhatIsNotKnown) {
  for (const Baseline& b : class_baselines(uniform_guess(2), uniform_guess(2), std::nullopt))
    EXPECT_NE(b.name, "best equivariant");
}

}  // namespace
}  // namespace sextant
