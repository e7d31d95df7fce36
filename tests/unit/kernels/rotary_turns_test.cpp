// SPDX-License-Identifier: Apache-2.0
#include "kernels/rotary_turns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <type_traits>

#include "sextant/registry.h"
#include "support/expect_error.h"
#include "support/heads.h"
#include "support/table_values.h"

namespace sextant {
namespace {

constexpr std::int64_t kLast = kPositionEnd - 1;

// cos and sin of make_table at one position, cosines first.
std::vector<float> table_row(const Encoding& encoding, Index dim, std::int64_t t) {
  std::vector<float> row;
  for (const TableKind kind : {TableKind::kCos, TableKind::kSin}) {
    const Table table =
        make_table(encoding, {.kind = kind,
                              .positions = Positions::range(1, static_cast<double>(t)),
                              .extent = {.dim = dim}});
    for (const double value : values(table)) row.push_back(static_cast<float>(value));
  }
  return row;
}

std::vector<float> row_of(const Turns& turns, Index token, Side side = Side::kQuery) {
  const auto& values = TurnsAccess::values(turns);
  const float* row = values.row(side, token);
  return {row, row + 2 * values.rule->slots()};
}

TEST(RotaryTurns, AreTheFloatsOfTheExactTable) {
  const std::vector<std::int64_t> positions = {
      0, 1, 2, 255,      256,      257,       65535, 65536,     131071, 999999,
      3, 4, 5, 16777215, 16777216, 123456789, kLast, kLast - 1, 0,      10000000};
  for (const char* spec :
       {"rope", "rope(base=500000,scaling=llama3,factor=8,original=8192)",
        "rope(scaling=yarn,factor=4,original=4096)", "rope(scaling=proportional,partial=0.25)"}) {
    const auto encoding = encodings().make(spec);
    const Turns turns = Rotary(*encoding, 128).at(positions);
    for (std::size_t i = 0; i < positions.size(); ++i)
      ASSERT_EQ(row_of(turns, static_cast<Index>(i)), table_row(*encoding, 128, positions[i]))
          << spec << ' ' << positions[i];
  }
}

TEST(RotaryTurns, OfARangeAreThoseOfItsPositions) {
  const Rotary rotary("rope", 64);
  for (const std::int64_t first : {std::int64_t{0}, std::int64_t{250}, kPositionEnd - 600}) {
    const Turns range = rotary.range(first, 600);
    std::vector<std::int64_t> positions(600);
    std::iota(positions.begin(), positions.end(), first);
    std::swap(positions[3], positions[500]);
    const Turns list = rotary.at(positions);
    for (Index i = 0; i < 600; ++i)
      ASSERT_EQ(row_of(list, i), row_of(range, positions[static_cast<std::size_t>(i)] - first));
  }
}

TEST(RotaryTurns, TakeBothIntegerTypes) {
  const Rotary rotary("rope", 8);
  const std::vector<std::int32_t> narrow = {7, 2147483647};
  const std::vector<std::int64_t> wide = {7, 2147483647};
  EXPECT_EQ(row_of(rotary.at(narrow), 1), row_of(rotary.at(wide), 1));
}

TEST(RotaryTurns, CountFromTheOrigin) {
  const Rotary rotary("rope", 64);
  EXPECT_EQ(row_of(rotary.range(1000, 1, 900), 0), row_of(rotary.range(100, 1), 0));
  // Before the origin pairs turn back.
  std::vector<float> back = row_of(rotary.range(900, 1, 1000), 0);
  for (std::size_t j = 32; j < 64; ++j) back[j] = -back[j];
  EXPECT_EQ(back, row_of(rotary.range(100, 1), 0));
}

TEST(RotaryTurns, APointTurnsEachSectionByItsOwnCoordinate) {
  const Rotary sections("mrope(sections=2:3:3)", 16), plain("rope", 16);
  EXPECT_EQ(sections.axes(), 3);
  const std::vector<std::int64_t> points = {5, 60, 700, 1, 2, 3};
  const Turns turns = sections.at_points(points);
  ASSERT_EQ(turns.tokens(), 2);
  const std::vector<float> row = row_of(turns, 0);
  const Index axis_of[8] = {0, 0, 1, 1, 1, 2, 2, 2};
  for (std::size_t j = 0; j < 8; ++j) {
    const auto t = points[static_cast<std::size_t>(axis_of[j])];
    const std::vector<float> expected = row_of(plain.range(t, 1), 0);
    EXPECT_EQ(row[j], expected[j]);
    EXPECT_EQ(row[8 + j], expected[8 + j]);
  }
  // A single number counts on every axis.
  EXPECT_EQ(row_of(sections.range(9, 1), 0), row_of(plain.range(9, 1), 0));
}

TEST(RotaryTurns, QueriesGrowAsKeysShrink) {
  const auto xpos = encodings().make("xpos");
  const Turns turns = Rotary(*xpos, 8).range(300, 1);
  const std::vector<float> cosines = table_row(*xpos, 8, 300);
  const std::vector<float> query = row_of(turns, 0), key = row_of(turns, 0, Side::kKey);
  for (std::size_t i = 0; i < 4; ++i) {
    // zeta_i = (2i/d + 0.4) / 1.4, to the power 300/512.
    const double zeta = (0.25 * static_cast<double>(i) + 0.4) / 1.4;
    const double scale = std::pow(zeta, 300.0 / 512.0);
    EXPECT_NEAR(query[i], scale * cosines[i], 1.3e-7 * scale);
    EXPECT_NEAR(key[i], cosines[i] / scale, 1.3e-7 / scale);
  }
}

TEST(RotaryTurns, BetweenTwoRulesTakesCachedKeysFromOneToTheOther) {
  const Rotary from("rope", 64), to("rope(scaling=yarn,factor=4,original=4096)", 64);
  const Rotary step = Rotary::between(from, to);
  const HeadSizes sizes{.tokens = 5, .heads = 2, .dim = 64};
  Heads keys(Dtype::kF32, sizes);
  keys.draw(1);
  Heads wanted = keys;
  apply_to_keys(to.range(100000, 5), wanted.view(), wanted.view());
  apply_to_keys(from.range(100000, 5), keys.view(), keys.view());
  apply_to_keys(step.range(100000, 5), keys.view(), keys.view());
  keys.for_each([&](Index n, Index h, Index i) {
    const double pair = std::hypot(wanted.at(n, h, i % 32), wanted.at(n, h, i % 32 + 32));
    EXPECT_NEAR(keys.at(n, h, i), wanted.at(n, h, i), 5e-7 * pair);
  });
}

TEST(RotaryTurns, BetweenRefusesWhatDoesMoreThanTurn) {
  const Rotary rope("rope", 24), other("rope(pairing=interleaved)", 24), narrow("rope", 22);
  for (const char* spec : {"xpos", "spiral", "jordan", "decay"})
    expect_error(ErrorCode::kUsage, "nothing else",
                 [&] { Rotary::between(rope, Rotary(spec, 24)); });
  expect_error(ErrorCode::kUsage, "same pairs", [&] { Rotary::between(rope, other); });
  expect_error(ErrorCode::kUsage, "same pairs", [&] { Rotary::between(rope, narrow); });
  const Rotary line("axial(axes=1)", 24), plane("axial(axes=2)", 24);
  expect_error(ErrorCode::kUsage, "same pairs", [&] { Rotary::between(line, plane); });
  const Rotary contiguous("mrope", 24), mixed("mrope(kind=interleaved)", 24);
  expect_error(ErrorCode::kUsage, "same axis", [&] { Rotary::between(contiguous, mixed); });
}

TEST(RotaryTurns, RefusePositionsThatAreNoPositions) {
  const Rotary rotary("rope", 64), sections("mrope", 64);
  const std::vector<std::int64_t> negative = {3, -1}, far = {0, 1, kPositionEnd};
  const std::vector<std::int32_t> narrow = {-7};
  expect_error(ErrorCode::kUsage, "entry 1 must be 0 to 2147483647 but is -1",
               [&] { rotary.at(negative); });
  expect_error(ErrorCode::kUsage, "entry 2 must be 0 to 2147483647 but is 2147483648",
               [&] { rotary.at(far); });
  expect_error(ErrorCode::kUsage, "entry 0 must be", [&] { rotary.at(narrow); });
  expect_error(ErrorCode::kUsage, "must be [tokens, 3] but have 2 entries", [&] {
    sections.at_points(std::vector<std::int64_t>{1, 2});
  });
  expect_error(ErrorCode::kUsage, "origin", [&] { rotary.range(0, 1, -1); });
  expect_error(ErrorCode::kUsage, "origin", [&] { rotary.range(0, 1, kPositionEnd); });
  expect_error(ErrorCode::kUsage, "first", [&] { rotary.range(-1, 1); });
  expect_error(ErrorCode::kUsage, "count", [&] { rotary.range(0, -1); });
  expect_error(ErrorCode::kUsage, "count", [&] { rotary.range(kLast, 2); });
  expect_error(ErrorCode::kUsage, "count",
               [&] { rotary.range(1, std::numeric_limits<Index>::max()); });
  EXPECT_EQ(rotary.range(kLast, 1).tokens(), 1);
  EXPECT_EQ(rotary.range(0, 0).tokens(), 0);
  EXPECT_EQ(rotary.at(std::span<const std::int64_t>()).tokens(), 0);
}

TEST(RotaryTurns, RefuseWhatDoesNotFitTheMemory) {
  expect_error(ErrorCode::kRefused, "must fit the memory",
               [] { Rotary("rope", 4096).range(0, kPositionEnd); });
}

TEST(RotaryTurns, SayWhereAGrowingRuleLeavesTheRangeOfFloat) {
  const Rotary spiral("spiral(rate=0.01)", 8);
  // e^87.3 at a rate of 0.01 is position 8730.
  EXPECT_EQ(spiral.range(8700, 1).tokens(), 1);
  expect_error(ErrorCode::kNumeric, "position 8731 leaves the range of float",
               [&] { spiral.range(8700, 100); });
  EXPECT_EQ(spiral.range(1000000, 100, 1000000).tokens(), 100);
  const Rotary lift("alibi_lift(slope=1000000)", 8);
  EXPECT_EQ(lift.range(2147483647, 1).tokens(), 1);  // linear: 2e15
  const Rotary chain("generator(size=8,coupling=1000000)", 8);
  expect_error(ErrorCode::kNumeric, "leaves the range of float", [&] { chain.range(1000, 1); });
}

TEST(Rotary, RefusesWhatHasNoKernelAndSaysWhy) {
  const auto refused = [](const char* spec, Index dim, std::string_view why) {
    expect_error(ErrorCode::kUsage, why, [&] { Rotary(spec, dim); });
  };
  refused("alibi", 64, "does not act on query and key");
  refused("sinusoidal", 64, "does not act on query and key");
  refused("grape", 64, "another basis");
  refused("jordan(regime=stabilised)", 64, "saturated");
  refused("rope", 63, "even");
  refused("rope", 0, "head_dim");
  refused("rope", -2, "head_dim");
  refused("rope", kWidestHead + 2, "head_dim");
  refused("generator(frequency=300)", 2, "below 256");
  refused("nonsense", 64, "nonsense");
  Tensor x{.shape = {2, 2}, .values = {0.0, 0.25, -0.5, 0.0}};
  const auto dense = encodings().make("generator", {{"file", x}});
  expect_error(ErrorCode::kUsage, "dense", [&] { Rotary(*dense, 2); });
}

// One pair that turns by 1/100, in a place of its own choice.
class TurnInItsPlace final : public Encoding {
 public:
  const EncodingInfo& info() const override {
    static constexpr EncodingInfo kInfo = {.name = "once", .sites = {.query_key = true}};
    return kInfo;
  }

 private:
  Effects make_effects(const Extent& extent) const override {
    std::vector<JordanBlock> blocks(static_cast<std::size_t>(extent.dim - 1));
    blocks.back() = {.frequency = 0.01};
    return {.query_key =
                QueryKeyMap{.groups = {OneParameterGroup(std::move(blocks), {1, 3, 2, 0})}}};
  }
};

// A length beside the spec would be one that no rule reads.
static_assert(!std::is_constructible_v<Rotary, std::string_view, Index, Index>);
static_assert(!std::is_constructible_v<Rotary, const Encoding&, Index, Index>);

TEST(Rotary, TakesTheCurrentLengthFromTheSpec) {
  // Dynamic NTK: base * (factor length / original - (factor - 1))^(d / (d - 2)).
  const Rotary rotary("rope(scaling=dynamic,factor=2,original=4096,length=8192)", 4);
  const double base = 10000.0 * std::pow(2.0 * 8192.0 / 4096.0 - 1.0, 2.0);
  Heads x(Dtype::kF32, {.dim = 4}), y = x;
  x.set(0, 0, 1, 1.0);
  apply_to_queries(rotary.range(100, 1), x.view(), y.view());
  EXPECT_NEAR(y.at(0, 0, 1), std::cos(100.0 / std::sqrt(base)), 2e-7);
  EXPECT_NEAR(y.at(0, 0, 3), std::sin(100.0 / std::sqrt(base)), 2e-7);
}

TEST(Rotary, TakesAnyOrderOfCoordinates) {
  const Rotary rotary(TurnInItsPlace(), 4);
  Heads x(Dtype::kF32, {.dim = 4});
  for (Index i = 0; i < 4; ++i) x.set(0, 0, i, static_cast<double>(i));
  Heads y = x;
  apply_to_keys(rotary.range(50, 1), x.view(), y.view());
  const double c = std::cos(0.5), s = std::sin(0.5);
  EXPECT_NEAR(y.at(0, 0, 2), 2.0 * c - 0.0 * s, 3e-7);
  EXPECT_NEAR(y.at(0, 0, 0), 2.0 * s + 0.0 * c, 3e-7);
  EXPECT_EQ(y.at(0, 0, 1), 1.0);
  EXPECT_EQ(y.at(0, 0, 3), 3.0);
}

}  // namespace
}  // namespace sextant
