// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sextant/bias.h"
#include "sextant/registry.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

constexpr float kMask = -std::numeric_limits<float>::infinity();

TEST(BiasRows, AlibiPenalisesTheDistanceAtThePublishedSlopes) {
  // 8 heads: slopes 1/2, 1/4, ... 1/256, all products exact.
  const BiasRows rows("alibi", 8, 100);
  std::vector<float> out(8 * 3 * 5, 7.0f);
  rows.fill(90, 3, 88, 5, out);
  for (Index h = 0; h < 8; ++h)
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 5; ++j)
        EXPECT_EQ(
            out[static_cast<std::size_t>((h * 3 + i) * 5 + j)],
            -std::ldexp(std::abs(static_cast<float>(90 + i - 88 - j)), -1 - static_cast<int>(h)));
}

TEST(BiasRows, AddsToATileAndLeavesWhatLiesBetweenItsRows) {
  const BiasRows rows("alibi(slope=0.5)", 1, 16);
  std::vector<float> logits(2 * 5, 1.0f);
  rows.add_to(
      {.data = logits.data(), .rows = 2, .cols = 3, .stride = 5, .first_query = 7, .first_key = 6});
  EXPECT_EQ(logits, (std::vector<float>{0.5f, 1.0f, 0.5f, 1, 1, 0.0f, 0.5f, 1.0f, 1, 1}));
}

TEST(BiasRows, WritesATileWhateverItHeldBefore) {
  const BiasRows rows("alibi(slope=2)", 3, 4);
  std::vector<float> logits(2 * 2, std::nanf(""));
  rows.write({.data = logits.data(),
              .rows = 2,
              .cols = 2,
              .stride = 2,
              .head = 2,
              .first_query = 2,
              .first_key = 0});
  EXPECT_EQ(logits, (std::vector<float>{-4, -2, -6, -4}));
}

TEST(BiasRows, MasksKeysAheadOfTheQuery) {
  const BiasRows rows("alibi(slope=1,causal=1)", 1, 3);
  std::vector<float> out(9);
  rows.fill(0, 3, 0, 3, out);
  EXPECT_EQ(out, (std::vector<float>{0, kMask, kMask, -1, 0, kMask, -2, -1, 0}));
}

TEST(BiasRows, HasSlopesWhereTheBiasIsALine) {
  // 2^(-8h/12) is no list of ALiBi for 12 heads; 8 and then every other of 16 is.
  const std::optional<std::vector<float>> slopes = BiasRows("alibi", 12, 50).slopes();
  ASSERT_TRUE(slopes);
  ASSERT_EQ(slopes->size(), 12u);
  for (int h = 0; h < 8; ++h)
    EXPECT_EQ((*slopes)[static_cast<std::size_t>(h)], std::ldexp(1.0f, -1 - h));
  for (int h = 0; h < 4; ++h)
    EXPECT_FLOAT_EQ((*slopes)[static_cast<std::size_t>(8 + h)],
                    std::exp2(-0.5f - static_cast<float>(h)));
  EXPECT_EQ(BiasRows("alibi(slope=0.1,causal=1)", 1, 4000).slopes(), std::vector<float>{0.1f});
  EXPECT_EQ(BiasRows("alibi(slope=0)", 2, 9).slopes(), (std::vector<float>{0, 0}));
}

TEST(BiasRows, HasNoSlopesWhereTheBiasBends) {
  EXPECT_FALSE(BiasRows("kerple", 2, 50).slopes());
  EXPECT_FALSE(BiasRows("t5", 2, 50).slopes());
  EXPECT_FALSE(BiasRows("alibi+sandwich(width=8)", 2, 50).slopes());
  EXPECT_FALSE(BiasRows("alibi", 2, 1).slopes()) << "one position shows no slope";
}

TEST(BiasRows, ThreadsDoNotChangeABit) {
  const BiasRows rows("kerple", 5, 64);
  std::vector<float> one(5 * 31 * 64), several = one;
  rows.fill(33, 31, 0, 64, one);
  for (const Index threads : {2, 3, 7, 1000}) {
    std::ranges::fill(several, 0.0f);
    rows.fill(33, 31, 0, 64, several, threads);
    EXPECT_EQ(several, one) << threads;
  }
}

TEST(BiasRows, LargeMatricesGoPastTheCachesUnchanged) {
  constexpr Index kLength = 4200;  // 70 MB
  const BiasRows rows("alibi(slope=0.5)", 1, kLength);
  std::vector<float> out(static_cast<std::size_t>(kLength * kLength));
  rows.fill(0, kLength, 0, kLength, out, 2);
  for (Index i = 0; i < kLength; i += 41)
    for (Index j = 0; j < kLength; j += 13)
      ASSERT_EQ(out[static_cast<std::size_t>(i * kLength + j)],
                -0.5f * std::abs(static_cast<float>(i - j)));
}

TEST(BiasRows, ATileWithoutValuesNeedsNoData) {
  const BiasRows rows("alibi", 1, 4);
  rows.add_to({.data = nullptr, .rows = 0, .cols = 4, .stride = 4});
  rows.write({.data = nullptr, .rows = 4, .cols = 0, .stride = 8});
  rows.add_to({.data = nullptr, .rows = 4, .cols = 0, .stride = 8});
  rows.fill(4, 0, 0, 4, {});
}

TEST(BiasRows, RefusesAnEncodingThatIsNoBiasOfTheLag) {
  expect_error(ErrorCode::kUsage, "rope: has no bias", [] { BiasRows("rope", 1, 8); });
  expect_error(ErrorCode::kUsage, "more than the lag", [] { BiasRows("fire", 1, 8); });
  expect_error(ErrorCode::kUsage, "heads must be 12", [] { BiasRows("alibi(heads=12)", 8, 8); });
}

TEST(BiasRows, TheWidthOfAHeadMattersToTheRestOfTheEncodingOnly) {
  expect_error(ErrorCode::kUsage, "dim must be", [] { BiasRows("jordan(order=3)+alibi", 8, 8); });
  EXPECT_EQ(BiasRows("jordan(order=3)+alibi", 8, 8, 48).slopes(), BiasRows("alibi", 8, 8).slopes());
}

TEST(BiasRows, RefusesSizesBeforeItAllocates) {
  constexpr Index kMost = std::numeric_limits<Index>::max();
  for (const Index bad : {Index{0}, Index{-1}, -kMost - 1}) {
    expect_error(ErrorCode::kUsage, "heads must be", [&] { BiasRows("alibi", bad, 8); });
    expect_error(ErrorCode::kUsage, "length must be", [&] { BiasRows("alibi", 8, bad); });
  }
  expect_error(ErrorCode::kRefused, "memory", [] { BiasRows("alibi", 8, kMost); });
  expect_error(ErrorCode::kRefused, "memory", [] { BiasRows("alibi", kMost, 8); });
  expect_error(ErrorCode::kRefused, "memory", [] { BiasRows("alibi", 1024, Index{1} << 40); });
}

TEST(BiasRows, RefusesAValueThatFloatCannotHold) {
  // Lags -1, 0, 1 and beyond; the first pair with lag 1 is query 1, key 0.
  const TensorMap values = {{"file", {.shape = {3, 1}, .values = {0.5, 0.25, 1e39}}}};
  const auto encoding = encodings().make("bias", values);
  EXPECT_EQ(BiasRows(*encoding, 1, 1).length(), 1);
  expect_error(ErrorCode::kNumeric, "[0, 1, 0]", [&] { BiasRows(*encoding, 1, 8); });
}

TEST(BiasRows, NamesTheFieldOfATileThatDoesNotFit) {
  const BiasRows rows("alibi", 2, 8);
  std::vector<float> data(64);
  const LogitTile good = {.data = data.data(), .rows = 4, .cols = 4, .stride = 4};
  const auto expect = [&](std::string_view field, auto change) {
    LogitTile tile = good;
    change(tile);
    expect_error(ErrorCode::kUsage, field, [&] { rows.add_to(tile); });
    expect_error(ErrorCode::kUsage, field, [&] { rows.write(tile); });
  };
  constexpr Index kMost = std::numeric_limits<Index>::max();
  expect("data must not be null", [](LogitTile& t) { t.data = nullptr; });
  expect("data must be aligned", [](LogitTile& t) {
    t.data = reinterpret_cast<float*>(reinterpret_cast<char*>(t.data) + 1);
  });
  expect("head must be 0 to 1", [](LogitTile& t) { t.head = 2; });
  expect("head must be 0 to 1", [](LogitTile& t) { t.head = -1; });
  expect("rows must be 0 to 8", [](LogitTile& t) { t.rows = 9; });
  expect("rows must be 0 to 8", [](LogitTile& t) { t.rows = -1; });
  expect("cols must be 0 to 8", [](LogitTile& t) { t.cols = kMost; });
  expect("stride must be at least 4", [](LogitTile& t) { t.stride = 3; });
  expect("stride must be at least 4", [](LogitTile& t) { t.stride = kMost; });
  expect("first_query must be 0 to 4", [](LogitTile& t) { t.first_query = 5; });
  expect("first_query must be 0 to 4", [](LogitTile& t) { t.first_query = -1; });
  expect("first_key must be 0 to 4", [](LogitTile& t) { t.first_key = kMost; });
}

TEST(BiasRows, NamesTheArgumentOfAFillThatDoesNotFit) {
  const BiasRows rows("alibi", 2, 8);
  std::vector<float> out(2 * 8 * 8);
  const auto expect = [&](std::string_view text, std::int64_t first_query, Index n,
                          std::int64_t first_key, Index m, Index threads) {
    expect_error(ErrorCode::kUsage, text,
                 [&] { rows.fill(first_query, n, first_key, m, out, threads); });
  };
  expect("first_query must be 0 to 0", 1, 8, 0, 8, 1);
  expect("rows must be 0 to 8", 0, 9, 0, 8, 1);
  expect("first_key must be 0 to 0", 0, 8, -1, 8, 1);
  expect("cols must be 0 to 8", 0, 8, 0, -8, 1);
  expect("threads: must be 1 to 4096", 0, 8, 0, 8, 0);
  expect("threads: must be 1 to 4096", 0, 8, 0, 8, 4097);
  expect("out must have 2 x 8 x 7 values but has 128", 0, 8, 0, 7, 1);
}

}  // namespace
}  // namespace sextant
