// SPDX-License-Identifier: Apache-2.0
// Rotary ladders and their scalings against numbers computed from the published formulas in
// double precision by an independent program, and printed constants where there are any. The
// tolerance is half a unit of the last digit given.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/ladder.h"

namespace sextant {
namespace {

TEST(RopeGolden, BaseTenThousand) {
  const Vector w = inv_freq("rope", 128);
  ASSERT_EQ(w.size(), 64u);
  EXPECT_EQ(w[0], 1.0);
  EXPECT_NEAR(w[1], 0.865964323, 5e-10);
  EXPECT_NEAR(w[2], 0.749894209, 5e-10);
  EXPECT_EQ(w[16], 0.1);
  EXPECT_EQ(w[32], 0.01);
  EXPECT_NEAR(w[63], 1.15478198e-4, 5e-13);
}

TEST(RopeGolden, LinearDividesEveryPair) {
  const Vector plain = inv_freq("rope", 64), scaled = inv_freq("rope(scaling=linear,factor=4)", 64);
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(scaled[i], plain[i] / 4.0);
}

// bloc97's NTK-aware rule: the base becomes 40889.942 for s=4, d=128.
TEST(RopeGolden, NtkStretchesTheBase) {
  const Vector w = inv_freq("rope(scaling=ntk,factor=4)", 128);
  EXPECT_NEAR(std::pow(w[1], -64.0), 40889.942, 5e-4);
  EXPECT_NEAR(w[63] * 4.0, inv_freq("rope", 128)[63], 1e-16) << "the slowest pair is divided by s";
}

TEST(RopeGolden, DynamicNtkAtEightTimesTheTrainedLength) {
  const Vector w = inv_freq("rope(scaling=dynamic,factor=10,original=2048,length=16384)", 128);
  EXPECT_NEAR(w[1], 0.809310075, 5e-10);
  EXPECT_NEAR(w[63], 1.6264535e-6, 5e-14);
}

TEST(RopeGolden, DynamicNtkIsPlainUpToTheTrainedLength) {
  const Vector plain = inv_freq("rope", 128);
  EXPECT_EQ(inv_freq("rope(scaling=dynamic,factor=10,original=2048,length=1024)", 128), plain);
  EXPECT_EQ(inv_freq("rope(scaling=dynamic,factor=10,original=2048)", 128), plain);
}

// The ramp that turns inv into inv/factor, read back from the scaled ladder: 0 up to pair `low`,
// 1 from pair `high` on, linear between.
void expect_yarn_ramp(const std::string& base_spec, const std::string& spec, Index dim,
                      double factor, double low, double high, double tolerance) {
  const Vector plain = inv_freq(base_spec, dim), scaled = inv_freq(spec, dim);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const double ramp = (1.0 - scaled[i] / plain[i]) / (1.0 - 1.0 / factor);
    const double expected = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    EXPECT_NEAR(ramp, expected, tolerance) << "pair " << i;
  }
}

// Ranges of the correction: Peng et al., YaRN, and the configs of Llama-2, Qwen2.5 and gpt-oss.
TEST(RopeGolden, YarnRamps) {
  expect_yarn_ramp("rope", "rope(scaling=yarn,factor=8,original=2048)", 128, 8, 16, 41, 1e-14);
  expect_yarn_ramp("rope", "rope(scaling=yarn,factor=32,original=4096)", 128, 32, 20, 46, 1e-14);
  expect_yarn_ramp("rope(base=1000000)", "rope(base=1000000,scaling=yarn,factor=4,original=32768)",
                   128, 4, 23, 40, 1e-14);
  expect_yarn_ramp("rope(base=150000)",
                   "rope(base=150000,scaling=yarn,factor=32,original=4096,truncate=false)", 64, 32,
                   8.0928, 17.3980, 1e-5);
}

// 1 + 0.1 ln(factor), as vLLM, transformers and llama.cpp print it.
TEST(RopeGolden, YarnMagnitude) {
  const auto yarn = [](const std::string& rest) {
    return magnitude("rope(scaling=yarn,original=4096," + rest + ")", 128);
  };
  EXPECT_NEAR(yarn("factor=4"), 1.1386294, 5e-8);
  EXPECT_NEAR(yarn("factor=8"), 1.207944, 5e-7);
  EXPECT_NEAR(yarn("factor=16"), 1.2772589, 5e-8);
  EXPECT_NEAR(yarn("factor=32"), 1.346574, 5e-7);
  EXPECT_NEAR(yarn("factor=40"), 1.368888, 5e-7);
  EXPECT_NEAR(yarn("factor=64"), 1.4158883, 5e-8);
  EXPECT_NEAR(yarn("factor=128"), 1.485203, 5e-7);
  EXPECT_EQ(yarn("factor=1"), 1.0);
}

TEST(RopeGolden, YarnMagnitudeGivenExplicitlyWins) {
  const auto yarn = [](const std::string& rest) {
    return magnitude("rope(scaling=yarn,original=4096,factor=64," + rest + ")", 128);
  };
  EXPECT_EQ(yarn("attention_factor=1"), 1.0);
  EXPECT_EQ(yarn("mscale=1,mscale_all_dim=1"), 1.0);
  EXPECT_NEAR(yarn("mscale=2,mscale_all_dim=1"), (1.0 + 0.2 * std::log(64.0)) / 1.4158883083, 1e-9);
  EXPECT_NEAR(yarn("mscale=2"), 1.4158883, 5e-8) << "one of the two alone is not enough";
  EXPECT_EQ(yarn("attention_factor=0.5,mscale=2,mscale_all_dim=1"), 0.5);
}

// Llama-3.1: base 5e5, factor 8, low 1, high 4, original 8192.
TEST(RopeGolden, Llama3Divisors) {
  const Vector plain = inv_freq("rope(base=500000)", 128);
  const Vector scaled =
      inv_freq("rope(base=500000,scaling=llama3,factor=8,low=1,high=4,original=8192)", 128);
  const Vector between = {1.207484, 1.553415, 2.026313, 2.694530, 3.684253, 5.257327};
  for (std::size_t i = 0; i < 29; ++i) EXPECT_EQ(scaled[i], plain[i]) << i;
  for (std::size_t i = 29; i < 35; ++i)
    EXPECT_NEAR(plain[i] / scaled[i], between[i - 29], 5e-7) << i;
  for (std::size_t i = 35; i < 64; ++i) EXPECT_DOUBLE_EQ(plain[i] / scaled[i], 8.0) << i;
}

TEST(RopeGolden, LongropeMagnitude) {
  const std::string ones = "1:1:1:1", twos = "2:2:2:2";
  const auto longrope = [&](const std::string& rest) {
    return "rope(scaling=longrope,original=4096,short_factor=" + ones + ",long_factor=" + twos +
           rest + ")";
  };
  EXPECT_NEAR(magnitude(longrope(",factor=32"), 8), 1.1902380714, 5e-11);
  EXPECT_EQ(magnitude(longrope(""), 8), 1.0);
  const Vector plain = inv_freq("rope", 8);
  EXPECT_EQ(inv_freq(longrope(",length=4096"), 8), plain) << "the short list up to original";
  const Vector far = inv_freq(longrope(",length=4097"), 8);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(far[i], plain[i] / 2.0);
}

TEST(RopeGolden, ProportionalStopsPairsAndKeepsTheLadderOfTheWholeHead) {
  const Vector plain = inv_freq("rope", 64);
  const Vector w = inv_freq("rope(scaling=proportional,partial=0.25)", 64);
  ASSERT_EQ(w.size(), 32u);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(w[i], i < 8 ? plain[i] : 0.0) << i;
}

TEST(RopeGolden, PartialPairsInsideTheRotatedPart) {
  const auto effects = encodings().make("rope(partial=0.25)")->effects({.dim = 64});
  const Matrix a = effects.query_key->at(1.0);
  EXPECT_NEAR(a(8, 0), std::sin(1.0), 1e-16) << "pair (0, 8) of the first 16 coordinates";
  EXPECT_EQ(a(16, 16), 1.0);
  EXPECT_EQ(inv_freq("rope(partial=0.25)", 64), inv_freq("rope", 16));
}

// (2i + 0.4 d) / (1.4 d), read back as the factor at lag 512.
TEST(XposGolden, Zeta) {
  const auto effects = encodings().make("xpos")->effects({.dim = 64});
  const auto& blocks = effects.query_key->groups[0].blocks();
  EXPECT_NEAR(std::exp(512.0 * blocks[0].decay), 0.2857143, 5e-8);
  EXPECT_NEAR(std::exp(512.0 * blocks[1].decay), 0.3080357, 5e-8);
  EXPECT_NEAR(std::exp(512.0 * blocks[31].decay), 0.9776786, 5e-8);
}

TEST(MropeGolden, SectionsPickTheAxis) {
  const auto axes = [](const std::string& spec) {
    return rotary_ladder(encodings().make(spec)->effects({.dim = 16}))->axis;
  };
  EXPECT_EQ(axes("mrope(sections=2:3:3)"), (std::vector<Index>{0, 0, 1, 1, 1, 2, 2, 2}));
  // Qwen3-VL: pair mod 3 picks the axis while below 3 * section, else time.
  EXPECT_EQ(axes("mrope(sections=4:2:2,kind=interleaved)"),
            (std::vector<Index>{0, 1, 2, 0, 1, 2, 0, 0}));
}

TEST(MropeGolden, VisionRestartsTheLadder) {
  const Vector w = inv_freq("mrope(sections=4:4,kind=vision)", 16), own = inv_freq("rope", 8);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(w[i], own[i % 4]);
}

TEST(MropeGolden, TextIsTurnedAsByRope) {
  const auto mrope = encodings().make("mrope")->effects({.dim = 32});
  const auto rope = encodings().make("rope")->effects({.dim = 32});
  const Matrix a = mrope.query_key->at(11.0), b = rope.query_key->at(11.0);
  for (std::size_t i = 0; i < a.values().size(); ++i) EXPECT_EQ(a.values()[i], b.values()[i]);
}

}  // namespace
}  // namespace sextant
