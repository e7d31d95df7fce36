// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "support/c_status.h"

namespace sextant {
namespace {

constexpr int64_t kTokens = 3, kHeads = 2, kDim = 4;
using Values = std::array<float, kTokens * kHeads * kDim>;

sextant_heads_view view_of(Values& values) {
  return {.data = values.data(),
          .dtype = SEXTANT_F32,
          .tokens = kTokens,
          .heads = kHeads,
          .dim = kDim,
          .token_stride = kHeads * kDim,
          .head_stride = kDim};
}

Values numbers() {
  Values values;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.25f * static_cast<float>(i) - 1.0f;
  return values;
}

Owned<sextant_rotary> rotary_of(const char* spec, int64_t dim = kDim) {
  return owned<sextant_rotary>([&](auto made) { return sextant_rotary_make(spec, dim, made); });
}

Owned<sextant_turns> turns_of(const sextant_rotary* rotary, const std::vector<int64_t>& positions) {
  return owned<sextant_turns>([&](auto made) {
    return sextant_turns_at(rotary, positions.data(), static_cast<int64_t>(positions.size()), 1, 0,
                            made);
  });
}

// Coordinates i and i + dim / 2 of every head turn by t 10000^(-2i/dim).
Values turned(const Values& values, const std::vector<int64_t>& positions, double sign) {
  Values result = values;
  for (std::size_t n = 0; n < positions.size(); ++n)
    for (std::size_t h = 0; h < kHeads; ++h)
      for (std::size_t i = 0; i < kDim / 2; ++i) {
        const double angle = sign * static_cast<double>(positions[n]) *
                             std::pow(10000.0, -2.0 * static_cast<double>(i) / kDim);
        const std::size_t x = (n * kHeads + h) * kDim + i, y = x + kDim / 2;
        result[x] = static_cast<float>(values[x] * std::cos(angle) - values[y] * std::sin(angle));
        result[y] = static_cast<float>(values[x] * std::sin(angle) + values[y] * std::cos(angle));
      }
  return result;
}

void expect_close(const Values& found, const Values& expected) {
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 3e-6f) << i;
}

TEST(CRotary, TurnsQueriesAndKeysByTheirAngles) {
  const std::vector<int64_t> positions = {7, 0, 3};
  const auto turns = turns_of(rotary_of("rope").get(), positions);
  for (const auto apply : {sextant_apply_to_queries, sextant_apply_to_keys}) {
    Values values = numbers(), out = {};
    const sextant_heads_view in_view = view_of(values), out_view = view_of(out);
    ASSERT_EQ(apply(turns.get(), &in_view, &out_view, 0, 2), SEXTANT_OK) << sextant_last_error();
    expect_close(out, turned(numbers(), positions, 1.0));
    EXPECT_EQ(values, numbers());
    ASSERT_EQ(apply(turns.get(), &out_view, &out_view, 1, 1), SEXTANT_OK);
    expect_close(out, numbers());
  }
}

TEST(CRotary, ARangeIsItsPositions) {
  const auto rotary = rotary_of("rope");
  const auto range = owned<sextant_turns>(
      [&](auto made) { return sextant_turns_range(rotary.get(), 40, kTokens, 0, made); });
  const auto listed = turns_of(rotary.get(), {40, 41, 42});
  Values a = numbers(), b = numbers();
  const sextant_heads_view a_view = view_of(a), b_view = view_of(b);
  ASSERT_EQ(sextant_apply_to_keys(range.get(), &a_view, &a_view, 0, 1), SEXTANT_OK);
  ASSERT_EQ(sextant_apply_to_keys(listed.get(), &b_view, &b_view, 0, 1), SEXTANT_OK);
  EXPECT_EQ(a, b);
}

TEST(CRotary, BetweenTakesKeysFromOneRuleToAnother) {
  const std::vector<int64_t> positions = {11, 5, 2};
  const auto from = rotary_of("rope"), to = rotary_of("rope(base=100)");
  const auto change = owned<sextant_rotary>(
      [&](auto made) { return sextant_rotary_between(from.get(), to.get(), made); });
  Values twice = numbers(), once = numbers();
  const sextant_heads_view twice_view = view_of(twice), once_view = view_of(once);
  for (const auto* rule : {from.get(), change.get()}) {
    const auto turns = turns_of(rule, positions);
    ASSERT_EQ(sextant_apply_to_keys(turns.get(), &twice_view, &twice_view, 0, 1), SEXTANT_OK);
  }
  const auto turns = turns_of(to.get(), positions);
  ASSERT_EQ(sextant_apply_to_keys(turns.get(), &once_view, &once_view, 0, 1), SEXTANT_OK);
  expect_close(twice, once);
}

TEST(CRotary, RulesWithSectionsTakeACoordinatePerAxis) {
  const auto rotary = rotary_of("mrope(sections=1:1:2)", 8);
  int64_t axes = 0;
  ASSERT_EQ(sextant_rotary_axes(rotary.get(), &axes), SEXTANT_OK);
  ASSERT_EQ(axes, 3);
  const std::array<int64_t, 6> points = {1, 2, 3, 4, 5, 6};
  owned<sextant_turns>(
      [&](auto made) { return sextant_turns_at(rotary.get(), points.data(), 2, 3, 0, made); });
  sextant_turns* made = nullptr;
  expect_fault(sextant_turns_at(rotary.get(), points.data(), 3, 2, 0, &made), SEXTANT_USAGE,
               "axes: must be 1 or 3");
}

TEST(CRotary, EveryNullPointerIsNamed) {
  const auto rotary = rotary_of("rope");
  const auto turns = turns_of(rotary.get(), {0, 1, 2});
  Values values = numbers();
  const sextant_heads_view view = view_of(values);
  sextant_rotary* made = nullptr;
  sextant_turns* made_turns = nullptr;
  int64_t axes = 0;
  const int64_t position = 0;
  expect_null_is_named(sextant_rotary_make(nullptr, kDim, &made), "spec");
  expect_null_is_named(sextant_rotary_make("rope", kDim, nullptr), "made");
  expect_null_is_named(sextant_rotary_between(nullptr, rotary.get(), &made), "from");
  expect_null_is_named(sextant_rotary_between(rotary.get(), nullptr, &made), "to");
  expect_null_is_named(sextant_rotary_between(rotary.get(), rotary.get(), nullptr), "made");
  expect_null_is_named(sextant_rotary_axes(nullptr, &axes), "rotary");
  expect_null_is_named(sextant_rotary_axes(rotary.get(), nullptr), "axes");
  expect_null_is_named(sextant_turns_at(nullptr, &position, 1, 1, 0, &made_turns), "rotary");
  expect_null_is_named(sextant_turns_at(rotary.get(), nullptr, 1, 1, 0, &made_turns), "positions");
  expect_null_is_named(sextant_turns_at(rotary.get(), &position, 1, 1, 0, nullptr), "made");
  expect_null_is_named(sextant_turns_range(nullptr, 0, 1, 0, &made_turns), "rotary");
  expect_null_is_named(sextant_turns_range(rotary.get(), 0, 1, 0, nullptr), "made");
  for (const auto apply : {sextant_apply_to_queries, sextant_apply_to_keys}) {
    expect_null_is_named(apply(nullptr, &view, &view, 0, 1), "turns");
    expect_null_is_named(apply(turns.get(), nullptr, &view, 0, 1), "in");
    expect_null_is_named(apply(turns.get(), &view, nullptr, 0, 1), "out");
    sextant_heads_view empty = view;
    empty.data = nullptr;
    expect_fault(apply(turns.get(), &empty, &view, 0, 1), SEXTANT_USAGE, "in: data must not be");
  }
  sextant_rotary_free(nullptr);
  sextant_turns_free(nullptr);
}

TEST(CRotary, ACallThatFailsMakesNoHandleAndTouchesNothing) {
  auto* made = reinterpret_cast<sextant_rotary*>(alignof(std::max_align_t));
  expect_fault(sextant_rotary_make("rpoe", kDim, &made), SEXTANT_USAGE, "rope");
  EXPECT_EQ(made, nullptr);
  const auto rotary = rotary_of("rope");
  const auto turns = turns_of(rotary.get(), {0, 1, 2});
  sextant_turns* none = nullptr;
  const int64_t behind = int64_t{1} << 31;
  expect_fault(sextant_turns_at(rotary.get(), &behind, 1, 1, 0, &none), SEXTANT_USAGE, "positions");
  expect_fault(sextant_turns_at(rotary.get(), &behind, -1, 1, 0, &none), SEXTANT_USAGE, "tokens");
  expect_fault(sextant_turns_range(rotary.get(), 0, -1, 0, &none), SEXTANT_USAGE, "count");

  Values values = numbers();
  const auto expect = [&](const char* part, auto change, int32_t backward, int64_t threads) {
    sextant_heads_view view = view_of(values);
    change(view);
    expect_fault(sextant_apply_to_keys(turns.get(), &view, &view, backward, threads), SEXTANT_USAGE,
                 part);
  };
  const auto nothing = [](sextant_heads_view&) {};
  expect("backward: must be 0 or 1 but is 2", nothing, 2, 1);
  expect("threads: must be 1 to 1024 but is 0", nothing, 0, 0);
  expect("threads: must be 1 to 1024 but is 1025", nothing, 0, 1025);
  for (const sextant_dtype dtype : {-1, 4, std::numeric_limits<int32_t>::max()})
    expect(
        "dtype: must be 0 to 3", [&](sextant_heads_view& v) { v.dtype = dtype; }, 0, 1);
  expect(
      "dtype must be f32", [](sextant_heads_view& v) { v.dtype = SEXTANT_F64; }, 0, 1);
  expect(
      "tokens", [](sextant_heads_view& v) { v.tokens = 2; }, 0, 1);
  expect(
      "apart", [](sextant_heads_view& v) { v.token_stride = kDim; }, 0, 1);
  EXPECT_EQ(values, numbers());
}

}  // namespace
}  // namespace sextant
