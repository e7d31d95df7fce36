// SPDX-License-Identifier: Apache-2.0
#include "sextant/table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "base/rounding.h"
#include "math/elementary.h"
#include "sextant/error.h"
#include "support/expect_error.h"
#include "support/table_values.h"

namespace sextant {
namespace {

// An encoding that does what the test says.
class Scripted final : public Encoding {
 public:
  explicit Scripted(Effects effects) : effects_(std::move(effects)) {}
  const EncodingInfo& info() const override { return info_; }
  Effects make_effects(const Extent&) const override { return effects_; }

 private:
  Effects effects_;
  EncodingInfo info_;
};

JordanBlock turning(DoubleDouble frequency) { return {.frequency = frequency, .rotates = true}; }

Effects rotating(std::vector<std::vector<JordanBlock>> blocks_per_axis,
                 DoubleDouble magnitude = 1.0) {
  QueryKeyMap map;
  for (auto& blocks : blocks_per_axis) map.groups.emplace_back(std::move(blocks));
  map.magnitude = magnitude;
  return {.query_key = std::move(map)};
}

Effects rows(std::function<double(double t, double column)> value) {
  return {.input = InputTable{.row = [value](const Position& t, std::span<double> row) {
            for (std::size_t j = 0; j < row.size(); ++j) {
              row[j] = value(t[0], static_cast<double>(j));
            }
          }}};
}

Effects bias(std::function<double(Index, double, double)> at) {
  return {.logit = LogitBias{.at = std::move(at)}};
}

constexpr Dtype kDtypes[] = {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBF16};

TEST(RotaryLadder, ListsTheTurningPairsInTheirOrder) {
  const Effects effects = rotating({{turning(1.0), {.decay = -0.1}, turning(0.0), turning(0.25)}});
  const auto ladder = rotary_ladder(effects);
  ASSERT_TRUE(ladder);
  EXPECT_EQ(ladder->inv_freq, (std::vector<DoubleDouble>{1.0, 0.0, 0.25}));
  EXPECT_EQ(ladder->axis, (std::vector<Index>{0, 0, 0}));
}

TEST(RotaryLadder, GivesEachPairItsAxis) {
  const auto ladder = rotary_ladder(rotating(
      {{turning(1.0), turning(0.0), turning(0.0)}, {turning(0.0), turning(0.5), turning(0.0)}}));
  ASSERT_TRUE(ladder);
  EXPECT_EQ(ladder->inv_freq, (std::vector<DoubleDouble>{1.0, 0.5, 0.0}));
  EXPECT_EQ(ladder->axis, (std::vector<Index>{0, 1, 0}));
}

TEST(RotaryLadder, DoesNotExistWhereNothingTurnsOrAPairTurnsOnTwoAxes) {
  EXPECT_FALSE(rotary_ladder(rotating({{{.decay = -0.1}}})));
  EXPECT_FALSE(rotary_ladder(rotating({{turning(1.0)}, {turning(0.5)}})));
  EXPECT_FALSE(rotary_ladder(bias([](Index, double, double) { return 0.0; })));
  QueryKeyMap dense;
  dense.groups.push_back(OneParameterGroup::from_generator(Matrix(2, 2)));
  EXPECT_FALSE(rotary_ladder({.query_key = dense}));
}

TEST(Table, HasTheShapeAndSizeThatWereAnnounced) {
  Effects all = rotating({{turning(1.0), turning(0.1)}});
  all.input = rows([](double, double) { return 1.0; }).input;
  all.logit = bias([](Index, double, double) { return 0.0; }).logit;
  const Scripted encoding(all);
  TableRequest request;
  request.positions = Positions::range(5);
  request.extent = {.positions = 5, .dim = 4, .heads = 3};
  const std::pair<TableKind, std::vector<Index>> expected[] = {
      {TableKind::kRows, {5, 4}}, {TableKind::kCos, {5, 2}},     {TableKind::kSin, {5, 2}},
      {TableKind::kInvFreq, {2}}, {TableKind::kBias, {3, 5, 5}}, {TableKind::kMatrix, {5, 4, 4}}};
  for (const auto& [kind, shape] : expected) {
    for (const Dtype dtype : kDtypes) {
      request.kind = kind;
      request.dtype = dtype;
      const Table table = make_table(encoding, request);
      EXPECT_EQ(table.shape, shape) << name(kind);
      EXPECT_EQ(table_shape(all, request), shape);
      EXPECT_EQ(table.bytes.size(), table_bytes(all, request)) << name(kind) << name(dtype);
    }
  }
}

TEST(Table, DefaultKindShowsTheMost) {
  const Effects turns = rotating({{turning(1.0)}});
  EXPECT_EQ(default_kind(rows([](double, double) { return 0.0; })), TableKind::kRows);
  EXPECT_EQ(default_kind(turns), TableKind::kCos);
  EXPECT_EQ(default_kind(bias([](Index, double, double) { return 0.0; })), TableKind::kBias);
  EXPECT_EQ(default_kind(rotating({{{.decay = -0.5}}})), TableKind::kMatrix);
}

TEST(Table, RowsAreRoundedOnceInEveryType) {
  const auto value = [](double t, double j) { return (t + 1.0) / (j + 3.0); };
  const Scripted encoding(rows(value));
  TableRequest request;
  request.positions = Positions::range(7, 2.0);
  request.extent.dim = 5;
  for (const Dtype dtype : kDtypes) {
    for (const Index threads : {1, 3}) {
      request.dtype = dtype;
      request.threads = threads;
      const Vector found = values(make_table(encoding, request));
      for (std::size_t i = 0; i < found.size(); ++i) {
        const double exact = value(2.0 + static_cast<double>(i / 5), static_cast<double>(i % 5));
        const double expected = dtype == Dtype::kF64 ? exact
                                : dtype == Dtype::kF32
                                    ? static_cast<double>(static_cast<float>(exact))
                                : dtype == Dtype::kF16 ? from_half(to_half(exact))
                                                       : from_bfloat16(to_bfloat16(exact));
        EXPECT_EQ(found[i], expected) << name(dtype);
      }
    }
  }
}

TEST(Table, CosAndSinFollowTheFrequenciesInEveryType) {
  const Scripted encoding(rotating({{turning(1.0), turning({0.1, 1e-18})}}, 1.5));
  TableRequest request;
  const double tolerance[] = {0x1p-52, 0x1p-23, 0x1p-10, 0x1p-7};
  for (const double offset : {0.0, 0.5}) {
    request.positions = Positions::range(700, offset);
    for (std::size_t d = 0; d < 4; ++d) {
      request.dtype = kDtypes[d];
      request.kind = TableKind::kCos;
      const Vector cos = values(make_table(encoding, request));
      request.kind = TableKind::kSin;
      const Vector sin = values(make_table(encoding, request));
      for (std::size_t i = 0; i < cos.size(); ++i) {
        const double phase = (offset + static_cast<double>(i / 2)) * (i % 2 == 0 ? 1.0 : 0.1);
        ASSERT_NEAR(cos[i], 1.5 * std::cos(phase), 1.5 * tolerance[d] + 1e-13);
        ASSERT_NEAR(sin[i], 1.5 * std::sin(phase), 1.5 * tolerance[d] + 1e-13);
      }
    }
  }
}

TEST(Table, PairsTurnWithTheirOwnAxis) {
  const Scripted encoding(rotating({{turning(1.0), turning(0.0)}, {turning(0.0), turning(0.5)}}));
  Matrix grid(2, 2);
  grid(0, 0) = 3.0;
  grid(0, 1) = 4.0;
  grid(1, 0) = -1.0;
  grid(1, 1) = 10.0;
  TableRequest request;
  request.kind = TableKind::kSin;
  request.positions = Positions::from(grid);
  const Vector found = values(make_table(encoding, request));
  const double phases[] = {3.0, 2.0, -1.0, 5.0};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(found[i], static_cast<double>(to_float(cos_sin(DoubleDouble(phases[i])).sin)));
  }
}

TEST(Table, LongShortTypedTablesAreCutWithoutATrace) {
  // More than one stretch of 2^20 values, with an odd number of pairs.
  std::vector<JordanBlock> blocks(1025, turning(0.0));
  for (std::size_t j = 0; j < blocks.size(); ++j)
    blocks[j] = turning(1.0 / static_cast<double>(j + 1));
  const Scripted encoding(rotating({blocks}));
  TableRequest request;
  request.kind = TableKind::kSin;
  request.dtype = Dtype::kF16;
  request.positions = Positions::range(1100, -30.0);
  const Table whole = make_table(encoding, request);
  request.threads = 3;
  EXPECT_EQ(make_table(encoding, request).bytes, whole.bytes);
  request.positions = Positions::range(3, 1067.0);
  const Table tail = make_table(encoding, request);
  EXPECT_TRUE(std::equal(tail.bytes.begin(), tail.bytes.end(),
                         whole.bytes.end() - static_cast<std::ptrdiff_t>(tail.bytes.size())));
}

TEST(Table, MatricesReadThePositionAsALag) {
  const Scripted encoding(rotating({{turning(std::numbers::pi / 2)}}, 2.0));
  TableRequest request;
  request.kind = TableKind::kMatrix;
  request.dtype = Dtype::kF64;
  request.positions = Positions::range(1, 2.0);
  request.extent.dim = 2;
  const Vector half_turn = values(make_table(encoding, request));
  EXPECT_NEAR(half_turn[0], -4.0, 1e-12);
  EXPECT_NEAR(half_turn[1], 0.0, 1e-12);
}

TEST(Table, RefusesWhatTheEncodingDoesNotHave) {
  const Scripted encoding(bias([](Index, double, double) { return 0.0; }));
  TableRequest request;
  for (const TableKind kind :
       {TableKind::kRows, TableKind::kCos, TableKind::kInvFreq, TableKind::kMatrix}) {
    request.kind = kind;
    expect_error(ErrorCode::kUsage, "it acts on the logit", [&] { make_table(encoding, request); });
  }
}

TEST(Table, RefusesSizesBeyond63Bits) {
  const Effects effects = bias([](Index, double, double) { return 0.0; });
  TableRequest request;
  request.kind = TableKind::kBias;
  request.positions = Positions::range(Index{1} << 31);
  request.extent.heads = 2;
  expect_error(ErrorCode::kRefused, "63 bits", [&] { table_bytes(effects, request); });
  request.positions = Positions::range((Index{1} << 30) - 1);
  EXPECT_EQ(table_bytes(effects, request), ((std::uint64_t{1} << 30) - 1) * ((1u << 30) - 1) * 8);
}

TEST(Table, NamesTheFirstValueThatIsNotFinite) {
  const Scripted encoding(rows([](double t, double j) { return t >= 3 && j >= 1 ? NAN : 0.0; }));
  TableRequest request;
  request.positions = Positions::range(9);
  request.extent.dim = 4;
  for (const Index threads : {1, 2, 9}) {
    request.threads = threads;
    expect_error(ErrorCode::kNumeric, "rows[1] of position 3",
                 [&] { make_table(encoding, request); });
  }
}

TEST(Table, RefusesAMagnitudeThatOverflowsTheType) {
  const Scripted encoding(rotating({{turning(1.0)}}, 1e6));
  TableRequest request;
  request.kind = TableKind::kCos;
  request.dtype = Dtype::kF16;
  expect_error(ErrorCode::kNumeric, "magnitude", [&] { make_table(encoding, request); });
}

TEST(Table, RefusesPositionsTooFarForAPhaseOrWithTooFewAxes) {
  const Scripted encoding(rotating({{turning(1.0), turning(0.0), turning(0.0)},
                                    {turning(0.0), turning(1.0), turning(0.0)},
                                    {turning(0.0), turning(0.0), turning(1.0)}}));
  TableRequest request;
  request.kind = TableKind::kCos;
  request.positions = Positions::range(1, 1e15);
  expect_error(ErrorCode::kUsage, "2^42", [&] { make_table(encoding, request); });
  request.positions = Positions::from(Matrix(2, 2));
  expect_error(ErrorCode::kUsage, "axes", [&] { make_table(encoding, request); });
}

TEST(Table, NamesAreThoseOnTheCommandLine) {
  EXPECT_EQ(name(Dtype::kBF16), "bf16");
  EXPECT_EQ(name(TableKind::kInvFreq), "inv_freq");
  EXPECT_EQ(bytes_per_value(Dtype::kF64), 8);
}

}  // namespace
}  // namespace sextant
