// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/c_status.h"

namespace sextant {
namespace {

Owned<sextant_bias> bias_of(const char* spec, int64_t heads, int64_t length) {
  return owned<sextant_bias>(
      [&](auto made) { return sextant_bias_make(spec, heads, length, 64, made); });
}

TEST(CBias, FillsAddsAndWrites) {
  const auto bias = bias_of("alibi(slope=0.5)", 2, 8);
  std::vector<float> out(2 * 2 * 3);
  ASSERT_EQ(sextant_bias_fill(bias.get(), 5, 2, 4, 3, out.data(), 12, 1), SEXTANT_OK);
  EXPECT_EQ(out,
            (std::vector<float>{-0.5f, 0, -0.5f, -1, -0.5f, 0, -0.5f, 0, -0.5f, -1, -0.5f, 0}));

  std::vector<float> tile_values(4, 1.0f);
  const sextant_logit_tile tile = {.data = tile_values.data(),
                                   .rows = 2,
                                   .cols = 2,
                                   .stride = 2,
                                   .head = 1,
                                   .first_query = 2,
                                   .first_key = 0};
  ASSERT_EQ(sextant_bias_add_to(bias.get(), &tile), SEXTANT_OK);
  EXPECT_EQ(tile_values, (std::vector<float>{0, 0.5f, -0.5f, 0}));
  ASSERT_EQ(sextant_bias_write(bias.get(), &tile), SEXTANT_OK);
  EXPECT_EQ(tile_values, (std::vector<float>{-1, -0.5f, -1.5f, -1}));
}

TEST(CBias, SlopesAreWrittenWhereTheBiasIsALine) {
  std::vector<float> slopes(2, 7.0f);
  int32_t linear = -1;
  ASSERT_EQ(sextant_bias_slopes(bias_of("kerple", 2, 8).get(), slopes.data(), 2, &linear),
            SEXTANT_OK);
  EXPECT_EQ(linear, 0);
  EXPECT_EQ(slopes, (std::vector<float>{7, 7}));
  const auto alibi = bias_of("alibi", 2, 8);
  ASSERT_EQ(sextant_bias_slopes(alibi.get(), slopes.data(), 2, &linear), SEXTANT_OK);
  EXPECT_EQ(linear, 1);
  EXPECT_EQ(slopes, (std::vector<float>{0.0625f, 0.00390625f}));  // 2^-4 and 2^-8
  expect_fault(sextant_bias_slopes(alibi.get(), slopes.data(), 1, &linear), SEXTANT_USAGE,
               "count: must be 2");
  EXPECT_EQ(linear, 0);
}

TEST(CBias, EveryNullPointerIsNamed) {
  const auto bias = bias_of("alibi", 1, 8);
  float value = 0.0f;
  int32_t linear = 0;
  const sextant_logit_tile tile = {.data = &value,
                                   .rows = 1,
                                   .cols = 1,
                                   .stride = 1,
                                   .head = 0,
                                   .first_query = 0,
                                   .first_key = 0};
  sextant_bias* made = nullptr;
  expect_null_is_named(sextant_bias_make(nullptr, 1, 8, 64, &made), "spec");
  expect_null_is_named(sextant_bias_make("alibi", 1, 8, 64, nullptr), "made");
  for (const auto call : {sextant_bias_add_to, sextant_bias_write}) {
    expect_null_is_named(call(nullptr, &tile), "bias");
    expect_null_is_named(call(bias.get(), nullptr), "tile");
    sextant_logit_tile empty = tile;
    empty.data = nullptr;
    expect_fault(call(bias.get(), &empty), SEXTANT_USAGE, "data must not be null");
  }
  expect_null_is_named(sextant_bias_fill(nullptr, 0, 1, 0, 1, &value, 1, 1), "bias");
  expect_null_is_named(sextant_bias_fill(bias.get(), 0, 1, 0, 1, nullptr, 1, 1), "out");
  expect_null_is_named(sextant_bias_slopes(nullptr, &value, 1, &linear), "bias");
  expect_null_is_named(sextant_bias_slopes(bias.get(), nullptr, 1, &linear), "slopes");
  expect_null_is_named(sextant_bias_slopes(bias.get(), &value, 1, nullptr), "linear");
  sextant_bias_free(nullptr);
}

TEST(CBias, MisalignedMemoryIsNamed) {
  const auto bias = bias_of("alibi", 1, 8);
  std::vector<float> values(2);
  int32_t linear[2] = {};
  float* const odd = misaligned(values.data());
  expect_fault(sextant_bias_fill(bias.get(), 0, 1, 0, 1, odd, 1, 1), SEXTANT_USAGE,
               "out: must be aligned to 4 bytes");
  expect_fault(sextant_bias_slopes(bias.get(), odd, 1, linear), SEXTANT_USAGE,
               "slopes: must be aligned to 4 bytes");
  expect_fault(sextant_bias_slopes(bias.get(), values.data(), 1, misaligned(linear)), SEXTANT_USAGE,
               "linear: must be aligned to 4 bytes");
  EXPECT_EQ(values, std::vector<float>(2));
}

TEST(CBias, SizesThatDoNotFitAreNamed) {
  const auto bias = bias_of("alibi", 1, 8);
  float value = 0.0f;
  sextant_bias* made = nullptr;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  expect_fault(sextant_bias_make("alibi", 1, kMost, 64, &made), SEXTANT_REFUSED, "memory");
  expect_fault(sextant_bias_make("alibi", -1, 8, 64, &made), SEXTANT_USAGE, "heads");
  expect_fault(sextant_bias_make("rope", 1, 8, 64, &made), SEXTANT_USAGE, "has no bias");
  expect_fault(sextant_bias_fill(bias.get(), 0, 1, 0, 1, &value, -1, 1), SEXTANT_USAGE, "count");
  expect_fault(sextant_bias_fill(bias.get(), 0, 1, 0, 1, &value, 2, 1), SEXTANT_USAGE, "out");
  expect_fault(sextant_bias_fill(bias.get(), 0, 1, 0, 1, &value, 1, 0), SEXTANT_USAGE, "threads");
}

}  // namespace
}  // namespace sextant
