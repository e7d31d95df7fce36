// SPDX-License-Identifier: Apache-2.0
#include "geometry/induced.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "sextant/registry.h"

namespace sextant {
namespace {

constexpr Extent kExtent{.positions = 12, .dim = 16, .heads = 2};

std::vector<Index> first_positions(Index n) {
  std::vector<Index> result(static_cast<std::size_t>(n));
  std::iota(result.begin(), result.end(), Index{0});
  return result;
}

DistanceMatrix induced(const char* spec, Rule rule, std::span<const Index> positions) {
  const Effects effects = encodings().make(spec)->effects(kExtent);
  return stored(*induced_distances(effects, kExtent, rule, positions).distances);
}

TEST(RulesFor, FollowTheSites) {
  const auto rules = [](const char* spec) {
    return rules_for(encodings().make(spec)->effects(kExtent));
  };
  EXPECT_EQ(rules("sinusoidal"), std::vector{Rule::kRows});
  EXPECT_EQ(rules("rope"), std::vector{Rule::kKernel});
  EXPECT_EQ(rules("alibi"), (std::vector{Rule::kLine, Rule::kBrownian}));
  EXPECT_EQ(rules("rope+alibi"), std::vector{Rule::kKernel});
  EXPECT_TRUE(rules("none").empty());
}

// |p_s - p_t|^2 = sum_j 2 - 2 cos(w_j lag) = d/2 (2 - 2 mean cos): sqrt(d/2) times RoPE's kernel
// distance.
TEST(InducedDistances, OfRopeAreProportionalToThoseOfTheSinusoid) {
  const std::vector<Index> positions = first_positions(12);
  const DistanceMatrix rows = induced("sinusoidal", Rule::kRows, positions);
  const DistanceMatrix kernel = induced("rope", Rule::kKernel, positions);
  const double factor = std::sqrt(static_cast<double>(kExtent.dim) / 2.0);
  for (std::size_t k = 0; k < rows.values().size(); ++k)
    EXPECT_NEAR(rows.values()[k], factor * kernel.values()[k], 1e-12 * rows.values()[k]);
}

TEST(InducedDistances, OfAlibiAreALineAndARoot) {
  const std::vector<Index> positions = first_positions(6);
  const DistanceMatrix line = induced("alibi(slope=0.25)", Rule::kLine, positions);
  const DistanceMatrix brownian = induced("alibi(slope=0.25)", Rule::kBrownian, positions);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = i + 1; j < 6; ++j) {
      EXPECT_DOUBLE_EQ(line(i, j), 0.25 * static_cast<double>(j - i));
      EXPECT_DOUBLE_EQ(brownian(i, j), std::sqrt(0.25 * static_cast<double>(j - i)));
    }
  }
}

// ALiBi's slopes for two heads are 1/16 and 1/256.
TEST(InducedDistances, TakeTheMeanOverHeads) {
  const std::vector<Index> positions = first_positions(3);
  EXPECT_DOUBLE_EQ(induced("alibi", Rule::kLine, positions)(0, 2),
                   2.0 * 0.5 * (1.0 / 16.0 + 1.0 / 256.0));
}

TEST(InducedDistances, KnowPositionsThatAreNotConsecutive) {
  const std::vector<Index> some = {0, 3, 4, 9};
  const DistanceMatrix line = induced("alibi(slope=1)", Rule::kLine, some);
  EXPECT_DOUBLE_EQ(line(0, 1), 3.0);
  EXPECT_DOUBLE_EQ(line(1, 3), 6.0);
}

// Terms that meet: rows are mapped, and multiply what is linear in query or key.
class CompositeDistances : public testing::TestWithParam<const char*> {};

TEST_P(CompositeDistances, AreThoseOfThePairForm) {
  const std::vector<Index> positions = {0, 1, 2, 5, 7, 8};
  const Effects effects = encodings().make(GetParam())->effects(kExtent);
  const DistanceMatrix fast =
      stored(*induced_distances(effects, kExtent, Rule::kKernel, positions).distances);
  const auto mean_logit = [&](Index s, Index t) {
    double sum = 0.0;
    for (Index h = 0; h < kExtent.heads; ++h) {
      const PairForm form =
          pair_form(effects, kExtent, h, static_cast<double>(s), static_cast<double>(t));
      for (Index i = 0; i < kExtent.dim; ++i)
        sum += form.m(i, i) / static_cast<double>(kExtent.dim);
      sum += form.c;
    }
    return sum / static_cast<double>(kExtent.heads);
  };
  for (Index i = 0; i < fast.size(); ++i) {
    for (Index j = i + 1; j < fast.size(); ++j) {
      const Index t = positions[static_cast<std::size_t>(i)];
      const Index s = positions[static_cast<std::size_t>(j)];
      const double squared = mean_logit(s, s) + mean_logit(t, t) - 2.0 * mean_logit(s, t);
      EXPECT_NEAR(fast(i, j), std::sqrt(std::max(squared, 0.0)), 1e-7) << s << ", " << t;
      EXPECT_NEAR(fast(i, j) * fast(i, j), std::max(squared, 0.0), 1e-12) << s << ", " << t;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Specs, CompositeDistances,
                         testing::Values("sinusoidal+rope+alibi", "sinusoidal+shaw",
                                         "sinusoidal+xl", "rope+shaw", "sinusoidal+spiral+t5",
                                         "sinusoidal+jordan+shaw"));

TEST(KernelByLag, IsTheMeanCosineForRope) {
  const Effects effects = encodings().make("rope")->effects(kExtent);
  const Vector kernel = kernel_by_lag(effects, kExtent, Rule::kKernel, 4);
  for (std::size_t lag = 0; lag < kernel.size(); ++lag) {
    double expected = 0.0;
    for (int j = 0; j < 8; ++j)
      expected += std::cos(static_cast<double>(lag) * std::pow(10000.0, -j / 8.0)) / 8.0;
    EXPECT_NEAR(kernel[lag], expected, 1e-14);
  }
}

}  // namespace
}  // namespace sextant
