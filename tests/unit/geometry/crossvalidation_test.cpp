// SPDX-License-Identifier: Apache-2.0
#include "geometry/crossvalidation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "geometry/hellinger.h"
#include "support/drawn_counts.h"

namespace sextant {
namespace {

constexpr double kRounding = 1e-12;

Matrix uneven_laws(Index n, Index types) {
  Matrix laws(n, types);
  for (Index i = 0; i < n; ++i) {
    double sum = 0.0;
    for (Index v = 0; v < types; ++v)
      sum += laws(i, v) = 1.0 / static_cast<double>(1 + (v + i) % types);
    for (Index v = 0; v < types; ++v) laws(i, v) /= sum;
  }
  return laws;
}

std::vector<Index> all_positions(Index n) {
  std::vector<Index> result(static_cast<std::size_t>(n));
  std::iota(result.begin(), result.end(), Index{0});
  return result;
}

// sqrt P of a set of blocks, dense, by definition.
Matrix root_laws(const PositionalCounts& counts, Index types, const BlockSet& blocks) {
  const Index n = counts.options.positions;
  Matrix p(n, types);
  counts.blocks.for_each([&](const Cell& cell) {
    if (blocks[cell.layer]) p(cell.position, cell.token) += static_cast<double>(cell.count);
  });
  for (Index i = 0; i < n; ++i) {
    double sum = 0.0;
    for (Index v = 0; v < types; ++v) sum += p(i, v);
    for (Index v = 0; v < types; ++v) p(i, v) = std::sqrt(p(i, v) / sum);
  }
  return p;
}

double by_definition(const Matrix& a, const Matrix& b, Index i, Index j) {
  double sum = 0.0;
  for (Index v = 0; v < a.cols(); ++v) sum += (a(i, v) - a(j, v)) * (b(i, v) - b(j, v));
  return sum;
}

class SplitDistancesTest : public ::testing::Test {
 protected:
  static constexpr Index kPositions = 5, kTypes = 12;
  PositionalCounts counts = drawn_counts(uneven_laws(kPositions, kTypes), 400, 3);
  BlockCells cells{counts, all_positions(kPositions)};
  std::vector<Split> splits = random_splits(cells.occupied(), 3, 1);
  std::vector<ThinnedRoot> root{static_cast<std::size_t>(kPositions), ThinnedRoot(1.0)};
};

TEST(RandomSplits, HalveTheBlocks) {
  BlockSet all;
  all.set();
  for (const Split& split : random_splits(all, 5, 7)) {
    EXPECT_EQ(split.a.count(), 32u);
    EXPECT_EQ(split.b.count(), 32u);
    EXPECT_TRUE((split.a & split.b).none());
  }
  EXPECT_NE(random_splits(all, 1, 7).front().a, random_splits(all, 1, 8).front().a);
}

TEST_F(SplitDistancesTest, AreTheMeanOfTheDefinition) {
  const SplitDistances result = split_distances(cells, splits, root, false, 1);
  for (Index i = 0; i < kPositions; ++i) {
    for (Index j = i + 1; j < kPositions; ++j) {
      double expected = 0.0;
      for (const Split& split : splits) {
        expected += by_definition(root_laws(counts, kTypes, split.a),
                                  root_laws(counts, kTypes, split.b), i, j) /
                    static_cast<double>(splits.size());
      }
      EXPECT_NEAR(result.squared(i, j), expected, kRounding);
    }
  }
}

TEST_F(SplitDistancesTest, WithoutABlockAreThoseOfTheOtherBlocks) {
  const SplitDistances result = split_distances(cells, splits, root, true, 1);
  ASSERT_EQ(result.blocks.size(), 64u);
  for (const std::size_t m : {std::size_t{0}, std::size_t{17}, std::size_t{63}}) {
    const auto block = static_cast<std::size_t>(result.blocks[m]);
    for (Index i = 0; i < kPositions; ++i) {
      for (Index j = i + 1; j < kPositions; ++j) {
        double expected = 0.0;
        for (Split split : splits) {
          split.a.reset(block);
          split.b.reset(block);
          expected += by_definition(root_laws(counts, kTypes, split.a),
                                    root_laws(counts, kTypes, split.b), i, j) /
                      static_cast<double>(splits.size());
        }
        EXPECT_NEAR(result.without[m](i, j), expected, kRounding);
      }
    }
  }
}

TEST_F(SplitDistancesTest, PlainOnesWithoutABlockAreThoseOfTheOtherBlocks) {
  const std::vector<DistanceMatrix> without = plain_squared_without_each(cells, 1);
  ASSERT_EQ(without.size(), 64u);
  for (const std::size_t block : {std::size_t{5}, std::size_t{40}}) {
    BlockSet rest = cells.occupied();
    rest.reset(block);
    const Matrix laws = root_laws(counts, kTypes, rest);
    for (Index i = 0; i < kPositions; ++i)
      for (Index j = i + 1; j < kPositions; ++j)
        EXPECT_NEAR(without[block](i, j), by_definition(laws, laws, i, j), kRounding);
  }
}

TEST_F(SplitDistancesTest, DoNotDependOnThreads) {
  const SplitDistances one = split_distances(cells, splits, root, true, 1);
  const SplitDistances three = split_distances(cells, splits, root, true, 3);
  EXPECT_TRUE(std::ranges::equal(one.squared.values(), three.squared.values()));
  for (std::size_t m = 0; m < one.without.size(); ++m)
    EXPECT_TRUE(std::ranges::equal(one.without[m].values(), three.without[m].values()));
}

TEST_F(SplitDistancesTest, ReliabilityIsTheOverlapOfTheHalves) {
  const Vector reliability = split_half_reliability(cells, splits, 2);
  for (Index i = 0; i < kPositions; ++i) {
    double expected = 0.0;
    for (const Split& split : splits) {
      const Matrix a = root_laws(counts, kTypes, split.a), b = root_laws(counts, kTypes, split.b);
      for (Index v = 0; v < kTypes; ++v)
        expected += a(i, v) * b(i, v) / static_cast<double>(splits.size());
    }
    EXPECT_NEAR(reliability[static_cast<std::size_t>(i)], expected, kRounding);
  }
}

// Thinning to the least count makes positions of one law and unequal counts comparable.
TEST(SplitDistances, HaveMeanZeroForOneLawAndUnequalCounts) {
  constexpr Index kTypes = 40;
  Matrix laws = uneven_laws(1, kTypes);
  double thinned_sum = 0.0, plain_sum = 0.0;
  constexpr int kCorpora = 600;
  for (int corpus = 0; corpus < kCorpora; ++corpus) {
    PositionalCounts many = drawn_counts(laws, 1600, static_cast<std::uint64_t>(100 + corpus));
    PositionalCounts few = drawn_counts(laws, 160, static_cast<std::uint64_t>(9000 + corpus));
    PositionalCounts both{.blocks = CellCounts(2, kBlocks), .shuffled = CellCounts(2, 1)};
    both.options.positions = 2;
    both.options.shuffles = 0;
    both.sequences_at = {many.sequences_at[0], few.sequences_at[0]};
    many.blocks.for_each([&](const Cell& c) {
      for (std::uint64_t k = 0; k < c.count; ++k) both.blocks.add(c.token, 0, c.layer);
    });
    few.blocks.for_each([&](const Cell& c) {
      for (std::uint64_t k = 0; k < c.count; ++k) both.blocks.add(c.token, 1, c.layer);
    });
    both.blocks.flush();
    const BlockCells cells(both, all_positions(2));
    const auto splits = random_splits(cells.occupied(), 4, 1);
    const std::vector<ThinnedRoot> thinned = {ThinnedRoot(0.1), ThinnedRoot(1.0)};
    const std::vector<ThinnedRoot> plain(2, ThinnedRoot(1.0));
    thinned_sum += split_distances(cells, splits, thinned, false, 1).squared(0, 1);
    plain_sum += split_distances(cells, splits, plain, false, 1).squared(0, 1);
  }
  // One estimate has a deviation of about 0.012, the mean of 600 of 0.0005. Without thinning its
  // expectation is sum_v p_v k_v^2, k_v = (1 - p_v) / (8 p_v) (1/80 - 1/800): 0.007.
  EXPECT_LT(std::abs(thinned_sum / kCorpora), 0.0016);
  EXPECT_GT(plain_sum / kCorpora, 0.005);
}

}  // namespace
}  // namespace sextant
