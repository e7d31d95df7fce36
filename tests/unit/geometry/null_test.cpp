// SPDX-License-Identifier: Apache-2.0
#include "geometry/null.h"

#include <gtest/gtest.h>

#include <cmath>

#include "geometry/hellinger.h"
#include "geometry/target.h"
#include "support/drawn_counts.h"

namespace sextant {
namespace {

// `each` sequences for every token at every position: the pooled law is uniform, exactly.
PositionalCounts even_counts(Index positions, Index types, Index each) {
  PositionalCounts counts{.blocks = CellCounts(positions, kBlocks),
                          .shuffled = CellCounts(positions, 1)};
  counts.options.positions = positions;
  counts.options.shuffles = 0;
  counts.sequences_at.resize(static_cast<std::size_t>(positions));
  std::uint32_t block = 0;
  for (Index i = 0; i < positions; ++i) {
    for (Index v = 0; v < types; ++v) {
      for (Index k = 0; k < each; ++k) {
        block = (block + 1) % static_cast<std::uint32_t>(kBlocks);
        counts.blocks.add(static_cast<TokenId>(v), static_cast<std::uint32_t>(i), block);
        ++counts.sequences_at[static_cast<std::size_t>(i)][block];
      }
    }
  }
  counts.blocks.flush();
  counts.sequences = counts.used = types * each;
  return counts;
}

// E d2 = 2 - 2 V g(N/V)^2 / N.
TEST(AnalyticNull, IsTheClosedFormForAUniformLaw) {
  constexpr Index kTypes = 40, kEach = 5;
  const PositionalCounts counts = even_counts(3, kTypes, kEach);
  const std::vector<Index> positions = {0, 1, 2};
  const DistanceMatrix null = analytic_null_squared(BlockCells(counts, positions), 1);
  const double g = mean_root_poisson(static_cast<double>(kEach));
  const double expected = 2.0 - 2.0 * g * g / static_cast<double>(kEach);
  for (const double value : null.values()) EXPECT_NEAR(value, expected, 1e-12);
}

Matrix one_law(Index positions, Index types) {
  Matrix laws(positions, types);
  double sum = 0.0;
  for (Index v = 0; v < types; ++v) sum += 1.0 / static_cast<double>(v + 1);
  for (Index i = 0; i < positions; ++i)
    for (Index v = 0; v < types; ++v) laws(i, v) = 1.0 / static_cast<double>(v + 1) / sum;
  return laws;
}

// With one law for all positions, shuffling changes nothing and the closed form is right.
TEST(Nulls, AgreeWithEachOtherAndWithTheDataWhereThereIsNoSignal) {
  const PositionalCounts counts = drawn_counts(one_law(32, 300), 1500, 4, 6);
  const Target target = make_target(counts, {});
  double data = 0.0, shuffled = 0.0;
  for (const double d : target.plain.values()) data += d * d / 496.0;
  for (const DistanceMatrix& null : target.null)
    for (const double d : null.values()) shuffled += d * d / 496.0 / 6.0;
  const double analytic = mean(*target.analytic_null_squared);
  // A square varies by 10 % (about 200 types count), the mean over 32 positions by 2 %.
  EXPECT_NEAR(data, analytic, 0.06 * analytic);
  EXPECT_NEAR(shuffled, analytic, 0.06 * analytic);
  EXPECT_NEAR(*target.signal_fraction, 0.0, 0.06);
  EXPECT_LE(*target.rank_supported, 1);
}

TEST(MakeTarget, LeavesOutPositionsWithFewSequences) {
  const PositionalCounts counts = drawn_counts(one_law(6, 20), 400, 1);
  PositionalCounts shorter{.blocks = CellCounts(6, kBlocks), .shuffled = CellCounts(6, 1)};
  shorter.options = counts.options;
  shorter.sequences_at = counts.sequences_at;
  shorter.sequences_at[5] = {};
  std::int64_t left = 0;
  counts.blocks.for_each([&](const Cell& cell) {
    if (cell.position == 5 && cell.layer % 4 != 0) return;  // a quarter of the blocks remains
    for (std::uint64_t k = 0; k < cell.count; ++k)
      shorter.blocks.add(cell.token, cell.position, cell.layer);
    if (cell.position != 5) return;
    shorter.sequences_at[5][cell.layer] += static_cast<std::int64_t>(cell.count);
    left += static_cast<std::int64_t>(cell.count);
  });
  shorter.blocks.flush();
  ASSERT_LT(left, 200);
  const Target target = make_target(shorter, {.splits = 3});
  ASSERT_EQ(target.excluded.size(), 1u);
  EXPECT_EQ(target.excluded[0].position, 5);
  EXPECT_EQ(target.excluded[0].count, left);
  EXPECT_EQ(target.positions.size(), 5u);
  EXPECT_EQ(target.plain.size(), 5);
}

// Small arcs are 2 d: squares in both metrics then differ by one factor, and the share of signal
// does not.
TEST(MakeTarget, FindsTheSameShareOfSignalInArcs) {
  Matrix laws = one_law(8, 50);
  for (Index i = 0; i < 8; ++i) {
    const double shift = 0.01 * static_cast<double>(i);
    laws(i, 0) -= shift;
    laws(i, 49) += shift;
  }
  const PositionalCounts counts = drawn_counts(laws, 6000, 2);
  const Target plain = make_target(counts, {.splits = 5});
  const Target arcs = make_target(counts, {.metric = Metric::kFisherRao, .splits = 5});
  EXPECT_NEAR(*arcs.signal_fraction, *plain.signal_fraction, 0.01);
  EXPECT_NEAR(mean(arcs.corrected->squared), 4.0 * mean(plain.corrected->squared),
              0.05 * mean(arcs.corrected->squared));
}

}  // namespace
}  // namespace sextant
