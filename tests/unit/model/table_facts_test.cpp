// SPDX-License-Identifier: Apache-2.0
#include "model/table_facts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "base/rng.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

constexpr double kFactRounding = 1e-9;

LearnedTable table_of(Index rows, Index dim, const std::function<double(Index, Index)>& value) {
  LearnedTable table{.name = "t", .dtype = "f64", .shape = {rows, dim}, .rows = rows, .dim = dim};
  table.values.reserve(static_cast<std::size_t>(rows * dim));
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < dim; ++j) table.values.push_back(value(i, j));
  return table;
}

double angle(Index i, Index n) {
  return 2.0 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
}

// Unit rows at equal steps on a circle, in the first two of `dim` columns.
LearnedTable circle(Index n, Index dim = 4) {
  return table_of(n, dim, [n](Index i, Index j) {
    return j == 0 ? std::cos(angle(i, n)) : j == 1 ? std::sin(angle(i, n)) : 0.0;
  });
}

TableFacts facts_of(LearnedTable table) { return table_facts(table); }

LearnedTable normal_draw(Index rows, Index dim, double deviation) {
  const Rng rng(7, 1);
  return table_of(rows, dim, [&](Index i, Index j) {
    return deviation * rng.normal(static_cast<std::uint64_t>(i * dim + j));
  });
}

TEST(TableFacts, ACircleHasTwoDimensionsOneWaveAndEqualSteps) {
  constexpr Index kRows = 48;
  const TableFacts facts = facts_of(circle(kRows));
  EXPECT_TRUE(facts.untrained.empty());
  EXPECT_NEAR(facts.least.value, 1.0, kFactRounding);
  EXPECT_NEAR(facts.greatest.value, 1.0, kFactRounding);
  EXPECT_NEAR(facts.neighbour_median.value_or(0.0), std::cos(angle(1, kRows)), kFactRounding);
  ASSERT_TRUE(facts.neighbour_least.has_value());
  EXPECT_NEAR(facts.neighbour_least->value, std::cos(angle(1, kRows)), kFactRounding);
  EXPECT_EQ(facts.ranks.numerical, 2);
  EXPECT_NEAR(facts.ranks.participation, 2.0, kFactRounding);
  EXPECT_NEAR(facts.ranks.entropy, 2.0, kFactRounding);
  EXPECT_EQ(facts.ranks.share99, 2);
  ASSERT_TRUE(facts.geometry.has_value());
  EXPECT_NEAR(facts.geometry->share2, 1.0, kFactRounding);
  EXPECT_NEAR(facts.geometry->stress2, 0.0, kFactRounding);
  EXPECT_EQ(facts.geometry->waves.at(0).cycles, 1);
  EXPECT_NEAR(facts.geometry->waves.at(0).share, 1.0, kFactRounding);
  EXPECT_NEAR(facts.geometry->waves.at(1).share, 0.0, kFactRounding);
}

// A chord over the angle 2 pi lag / n is 2 sin(pi lag / n), at every position the same.
TEST(TableFacts, DistancesByLagOfACircleAreItsChords) {
  constexpr Index kRows = 30;
  const TableFacts facts = facts_of(circle(kRows));
  ASSERT_TRUE(facts.geometry.has_value());
  const Vector& by_lag = facts.geometry->distance_by_lag;
  ASSERT_EQ(by_lag.size(), static_cast<std::size_t>(kRows));
  for (Index lag = 0; lag < kRows; ++lag)
    EXPECT_NEAR(by_lag[static_cast<std::size_t>(lag)], 2.0 * std::sin(angle(lag, kRows) / 2.0),
                1e-7)
        << lag;
}

TEST(TableFacts, OnALineDistanceIsTheLag) {
  const TableFacts facts =
      facts_of(table_of(20, 3, [](Index i, Index j) { return static_cast<double>(i * (j + 1)); }));
  EXPECT_EQ(facts.ranks.numerical, 1);
  ASSERT_TRUE(facts.geometry.has_value());
  EXPECT_NEAR(facts.geometry->lag_pearson, 1.0, kFactRounding);
  EXPECT_NEAR(facts.geometry->lag_spearman, 1.0, kFactRounding);
  EXPECT_NEAR(facts.geometry->stress2, 0.0, kFactRounding);
}

// The n vertices of a regular simplex span n - 1 equal dimensions around their centre.
TEST(TableFacts, OrthogonalRowsHaveAllDimensionsAndNoOrder) {
  constexpr Index kRows = 12;
  const TableFacts facts =
      facts_of(table_of(kRows, kRows, [](Index i, Index j) { return i == j ? 3.0 : 0.0; }));
  EXPECT_TRUE(facts.untrained.empty());
  EXPECT_EQ(facts.ranks.numerical, kRows - 1);
  EXPECT_NEAR(facts.ranks.participation, kRows - 1.0, kFactRounding);
  EXPECT_NEAR(facts.neighbour_median.value_or(1.0), 0.0, kFactRounding);
  ASSERT_TRUE(facts.geometry.has_value());
  EXPECT_NEAR(facts.geometry->share8, 8.0 / 11.0, kFactRounding);
}

TEST(TableFacts, EqualRowsHaveNoDimensionAndNoGeometry) {
  const TableFacts facts =
      facts_of(table_of(9, 5, [](Index, Index j) { return 0.1 * static_cast<double>(j + 1); }));
  EXPECT_TRUE(facts.untrained.empty());
  EXPECT_EQ(facts.ranks.numerical, 0);
  EXPECT_TRUE(facts.spectrum.empty());
  EXPECT_FALSE(facts.geometry.has_value());
  EXPECT_NEAR(facts.neighbour_median.value_or(0.0), 1.0, kFactRounding);
}

TEST(TableFacts, OneRowHasANormAndNothingElse) {
  const TableFacts facts = facts_of(table_of(1, 2, [](Index, Index j) { return j == 0 ? 3 : 4; }));
  EXPECT_DOUBLE_EQ(facts.median, 5.0);
  EXPECT_TRUE(facts.neighbour_cosines.empty());
  EXPECT_FALSE(facts.neighbour_median.has_value());
  EXPECT_FALSE(facts.geometry.has_value());
}

TEST(TableFacts, TwoRowsHaveOneDistance) {
  const TableFacts facts =
      facts_of(table_of(2, 2, [](Index i, Index j) { return i == j ? 1.0 : 0.0; }));
  ASSERT_TRUE(facts.geometry.has_value());
  EXPECT_NEAR(facts.geometry->distance_by_lag.at(1), std::sqrt(2.0), kFactRounding);
  EXPECT_EQ(facts.ranks.numerical, 1);
}

TEST(UntrainedRows, AZeroRowIsLeftOutOfWhatFollows) {
  constexpr Index kRows = 40, kZero = 7;
  LearnedTable table = circle(kRows);
  for (Index j = 0; j < table.dim; ++j)
    table.values[static_cast<std::size_t>(kZero * table.dim + j)] = 0.0;
  const TableFacts facts = facts_of(std::move(table));
  ASSERT_EQ(facts.untrained.size(), 1U);
  EXPECT_EQ(facts.untrained[0].row, kZero);
  EXPECT_EQ(name(facts.untrained[0].sign), "zero");
  EXPECT_TRUE(std::isnan(facts.neighbour_cosines[kZero - 1]));
  EXPECT_TRUE(std::isnan(facts.neighbour_cosines[kZero]));
  ASSERT_TRUE(facts.neighbour_least.has_value());
  EXPECT_NEAR(facts.neighbour_least->value, std::cos(angle(1, kRows)), kFactRounding);
  EXPECT_EQ(facts.ranks.numerical, 2);
}

TEST(UntrainedRows, AShortRowAmongEqualOnesIsUntrained) {
  LearnedTable table = circle(40);
  for (Index j = 0; j < table.dim; ++j)
    table.values[static_cast<std::size_t>(table.dim * 39 + j)] *= 0.03;
  const TableFacts facts = facts_of(std::move(table));
  ASSERT_EQ(facts.untrained.size(), 1U);
  EXPECT_EQ(facts.untrained[0].row, 39);
  EXPECT_EQ(facts.untrained[0].sign, UntrainedSign::kSmall);
  EXPECT_NEAR(facts.untrained[0].norm, 0.03, kFactRounding);
}

// The norms 0.1, 0.2, ... are far from one another everywhere: no row stands out.
TEST(UntrainedRows, NormsThatGrowEvenlyHaveNoOutlier) {
  const TableFacts facts = facts_of(table_of(
      30, 2, [](Index i, Index j) { return j == 0 ? 0.1 * static_cast<double>(i + 1) : 0.0; }));
  EXPECT_TRUE(facts.untrained.empty());
}

TEST(UntrainedRows, AFirstDrawIsFoundEvenAsTheMajority) {
  constexpr Index kRows = 60, kTrained = 20, kColumns = 128;
  LearnedTable table = normal_draw(kRows, kColumns, 0.02);
  for (Index i = 0; i < kTrained; ++i)
    for (Index j = 0; j < kColumns; ++j)
      table.values[static_cast<std::size_t>(i * kColumns + j)] =
          std::cos(0.1 * static_cast<double>(i + j));
  const TableFacts facts = facts_of(std::move(table));
  ASSERT_EQ(facts.untrained.size(), static_cast<std::size_t>(kRows - kTrained));
  EXPECT_EQ(facts.untrained.front().row, kTrained);
  EXPECT_EQ(facts.untrained.front().sign, UntrainedSign::kDrawn);
  EXPECT_FALSE(facts.of_all_rows);
}

TEST(UntrainedRows, WhereNoRowIsTrainedAllAreDescribed) {
  const TableFacts facts = facts_of(normal_draw(50, 96, 0.02));
  EXPECT_EQ(facts.untrained.size(), 50U);
  EXPECT_TRUE(facts.of_all_rows);
  EXPECT_EQ(facts.ranks.numerical, 49);
}

TEST(TableFacts, RefusesATableWithoutValues) {
  expect_error(ErrorCode::kMalformed, "no values", [] { facts_of(table_of(0, 4, {})); });
  expect_error(ErrorCode::kMalformed, "no values", [] { facts_of(table_of(4, 0, {})); });
}

TEST(TableFacts, OfManyRowsAreThinnedForDistances) {
  const TableFacts facts = facts_of(circle(3000, 2));
  ASSERT_TRUE(facts.geometry.has_value());
  EXPECT_EQ(facts.geometry->step, 3);
  EXPECT_EQ(facts.geometry->rows, 1000);
  EXPECT_TRUE(facts.geometry->waves.empty());
  EXPECT_NEAR(facts.geometry->distance_by_lag.at(1), 2.0 * std::sin(angle(3, 3000) / 2.0), 1e-7);
}

}  // namespace
}  // namespace sextant
