// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/enumeration.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

const double kFollows = 1.0 / (1.0 + std::exp(-2.0));

// P(label = 1) of a word.
double chance_of_one(const Word& word, std::size_t i, std::size_t j, double eps) {
  if (word[i] == word[j]) return word[i] == 1 ? kFollows : 1.0 - kFollows;
  return 0.5 + (word[i] == 1 ? 0.5 : -0.5) * eps;
}

TEST(Separation, BaselinesAreThoseOfAllSequences) {
  constexpr std::size_t kI = 2, kJ = 0, kTokens = 5;
  for (const double eps : {0.0, 0.25, 1.0}) {
    const auto task = tasks().make("separation(i=2,j=0,eps=" + std::to_string(eps) + ")");
    Answers constant, equivariant, swap, best;
    for_each_word(kTokens, 2, [&](const Word& word) {
      Word bag = word, swapped = word;
      std::ranges::sort(bag);
      std::swap(swapped[kI], swapped[kJ]);
      const double one = chance_of_one(word, kI, kJ, eps);
      for (const std::int32_t label : {0, 1}) {
        const double weight = label == 1 ? one : 1.0 - one;
        if (weight == 0.0) continue;
        constant.add({}, label, weight);
        equivariant.add(bag, label, weight);
        swap.add(std::min(word, swapped), label, weight);
        best.add(word, label, weight);
      }
    });
    expect_baseline(*task, kTokens, "best constant", constant.best());
    expect_baseline(*task, kTokens, "best equivariant", equivariant.best());
    expect_baseline(*task, kTokens, "swap invariant", swap.best());
    expect_baseline(*task, kTokens, "best possible", best.best());
  }
}

TEST(Separation, SwapInvariantRiskDoesNotSeeTheDial) {
  // docs/math/separation.md: ln 2 / 2 + h(logistic(2)) / 2.
  for (const char* spec : {"separation(eps=0)", "separation", "separation(eps=1)"})
    EXPECT_NEAR(baseline(*tasks().make(spec), 12, "swap invariant"), 0.5292, 5e-5);
}

TEST(Separation, LabelsFollowTheirLaw) {
  constexpr Index kDrawn = 40000;
  constexpr double kTolerance = 5 * 0.5 / 100;  // five errors of a share of 10000
  const Batch batch = tasks().make("separation(eps=0.5)")->sample(1, 0, kDrawn, 2);
  double number[2][2] = {}, ones[2][2] = {};
  for (std::size_t s = 0; s < kDrawn; ++s) {
    const auto a = static_cast<std::size_t>(batch.tokens[2 * s]);
    const auto b = static_cast<std::size_t>(batch.tokens[2 * s + 1]);
    number[a][b] += 1.0;
    ones[a][b] += batch.classes[s];
  }
  for (const std::int32_t a : {0, 1})
    for (const std::int32_t b : {0, 1})
      EXPECT_NEAR(ones[a][b] / number[a][b], chance_of_one({a, b}, 0, 1, 0.5), kTolerance);
}

TEST(Separation, RejectsOnePositionAndSequencesWithoutIt) {
  expect_error(ErrorCode::kUsage, "i and j must differ", [] { tasks().make("separation(i=1)"); });
  expect_error(ErrorCode::kUsage, "at least 8",
               [] { tasks().make("separation(j=7)")->sample(1, 0, 1, 7); });
}

}  // namespace
}  // namespace sextant
