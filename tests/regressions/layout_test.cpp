// SPDX-License-Identifier: Apache-2.0
// Bugs of pairs, partial heads and axes that were reported in public against other programs, L1 to
// L11 of docs/bugs.md, as tests of this one. Biases (L13 to L16) are in bias_test.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "support/expect_error.h"
#include "support/ladder.h"
#include "support/table_values.h"

namespace sextant {
namespace {

double real(std::size_t i) { return static_cast<double>(i); }

Vector sample(std::size_t size) {
  Vector x(size);
  for (std::size_t i = 0; i < size; ++i) x[i] = std::sin(1.0 + 2.3 * real(i));
  return x;
}

Vector key_at(const std::string& spec, double t, Vector x) {
  const auto effects = encodings().make(spec)->effects({.dim = static_cast<Index>(x.size())});
  effects.query_key->apply_to_key(t, x);
  return x;
}

// transformers#25199, lmdeploy#2639, tt-metal#26844, llama.cpp#15852: coordinate 2i of one layout
// is i of the other, 2i+1 is i + d/2. Permuted, the two agree to the last bit; unpermuted they do
// not.
TEST(LayoutBugs, L1InterleavedIsHalfAfterAPermutation) {
  const Vector x = sample(16);
  Vector halves(16);
  for (std::size_t i = 0; i < 8; ++i) {
    halves[i] = x[2 * i];
    halves[i + 8] = x[2 * i + 1];
  }
  const Vector a = key_at("rope(pairing=interleaved)", 5.0, x), b = key_at("rope", 5.0, halves);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(a[2 * i], b[i]) << i;
    EXPECT_EQ(a[2 * i + 1], b[i + 8]) << i;
  }
  EXPECT_NE(key_at("rope(pairing=interleaved)", 5.0, x), key_at("rope", 5.0, x));
}

// transformers#47403: columns of cos and sin are pairs in their order, under either pairing; how
// pairs lie in a head is the map's affair alone.
TEST(LayoutBugs, L3ColumnsOfATableArePairsWhateverTheirLayout) {
  for (const char* spec : {"rope", "rope(pairing=interleaved)"}) {
    const Vector cosines =
        values(make_table(*encodings().make(spec), {.kind = TableKind::kCos,
                                                    .positions = Positions::range(1, 3.0),
                                                    .extent = {.dim = 8},
                                                    .dtype = Dtype::kF64}));
    ASSERT_EQ(cosines.size(), 4U);
    for (std::size_t j = 0; j < 4; ++j)
      EXPECT_NEAR(cosines[j], std::cos(3.0 * std::pow(10.0, -real(j))), 1e-15) << spec;
  }
}

// cascadia#69: tables were right, but one split at the middle of the head turned 112 coordinates of
// 128 wrongly. A quarter of 64 is 16: pairs (i, i + 8), and what follows stays as it is.
TEST(LayoutBugs, L4PartialRotaryPairsInsideTheLeadingPart) {
  const Vector x = sample(64), y = key_at("rope(partial=0.25)", 7.0, x);
  for (std::size_t i = 0; i < 8; ++i) {
    const double angle = 7.0 * std::pow(10000.0, -real(i) / 8.0);
    EXPECT_NEAR(y[i], std::cos(angle) * x[i] + std::sin(angle) * x[i + 8], 1e-14) << i;
    EXPECT_NEAR(y[i + 8], std::cos(angle) * x[i + 8] - std::sin(angle) * x[i], 1e-14) << i;
  }
  for (std::size_t i = 16; i < 64; ++i) EXPECT_EQ(y[i], x[i]) << i;
}

// The same confusion the other way: proportional keeps the ladder and the pairs (i, i + 32) of the
// whole head and stops all but the first quarter of them.
TEST(LayoutBugs, L4ProportionalPairsAcrossTheWholeHead) {
  const Vector x = sample(64);
  const Vector y = key_at("rope(scaling=proportional,partial=0.25)", 7.0, x);
  for (std::size_t i = 0; i < 32; ++i) {
    const double angle = i < 8 ? 7.0 * std::pow(10000.0, -real(i) / 32.0) : 0.0;
    EXPECT_NEAR(y[i], std::cos(angle) * x[i] + std::sin(angle) * x[i + 32], 1e-14) << i;
    EXPECT_NEAR(y[i + 32], std::cos(angle) * x[i + 32] - std::sin(angle) * x[i], 1e-14) << i;
  }
}

// vllm#43770, maxtext#4616, #4615, #4742: the fraction was ignored, always with several axes. Here
// it counts, and where it cannot it is an error.
TEST(LayoutBugs, L5TheFractionThatTurnsIsNotIgnored) {
  EXPECT_EQ(inv_freq("rope(partial=0.5)", 64).size(), 16U);
  EXPECT_EQ(inv_freq("rope(partial=0.5)", 64), inv_freq("rope", 32));
  expect_error(ErrorCode::kUsage, "partial", [] { encodings().make("mrope(partial=0.5)"); });
}

// transformers#48630, #48652: any fraction but 1 crashed.
TEST(LayoutBugs, L6EveryFractionWorksWithEveryScaling) {
  for (const char* scaling :
       {"none", "linear,factor=2", "ntk,factor=2", "yarn,factor=2,original=64",
        "dynamic,factor=2,original=64", "llama3,factor=2,original=64"}) {
    for (const double fraction : {1.0, 0.5, 0.25}) {
      const std::string spec =
          "rope(scaling=" + std::string(scaling) + ",partial=" + std::to_string(fraction) + ")";
      EXPECT_EQ(real(inv_freq(spec, 96).size()), 48.0 * fraction) << spec;
      EXPECT_EQ(key_at(spec, 3.0, sample(96)).size(), 96U) << spec;
    }
  }
}

// transformers#48217, #48101: an odd number of coordinates failed in the first step only.
TEST(LayoutBugs, L7AnOddNumberOfCoordinatesIsRefusedAtOnce) {
  for (const char* spec : {"rope", "rope(scaling=linear,factor=2)", "xpos", "mrope"})
    expect_error(ErrorCode::kUsage, "65", [&] { encodings().make(spec)->effects({.dim = 65}); });
  expect_error(ErrorCode::kUsage, "leaves 35 of 70",
               [] { encodings().make("rope(partial=0.5)")->effects({.dim = 70}); });
}

Vector row(const std::string& spec, Index dim, double t) {
  Vector result(static_cast<std::size_t>(dim));
  encodings().make(spec)->effects({.dim = dim}).input->row(t, result);
  return result;
}

// pyaptamer#526, BERT-pytorch#78, base-llm#67, Forecasting-Model-Search#7. Of d columns, d odd,
// (d+1)/2 are sines of t 10000^(-2k/d) and (d-1)/2 cosines.
TEST(LayoutBugs, L8OddWidthsHaveOneSineMore) {
  for (const Index d : {1, 3, 5, 127}) {
    const Vector mixed = row("sinusoidal", d, 3.0), split = row("sinusoidal(layout=split)", d, 3.0);
    const auto width = static_cast<std::size_t>(d), sines = (width + 1) / 2;
    for (std::size_t k = 0; k < sines; ++k) {
      const double angle = 3.0 * std::pow(10000.0, -2.0 * real(k) / real(width));
      EXPECT_NEAR(mixed[2 * k], std::sin(angle), 1e-15) << d;
      EXPECT_NEAR(split[k], std::sin(angle), 1e-15) << d;
      if (2 * k + 1 < width) {
        EXPECT_NEAR(mixed[2 * k + 1], std::cos(angle), 1e-15) << d;
        EXPECT_NEAR(split[sines + k], std::cos(angle), 1e-15) << d;
      }
    }
  }
}

// allennlp#2993, tensorflow#37191, TransformerX#115, PapersReimpl#9. A sine and its cosine share
// one frequency, so that p_s p_t = sum of cos((s-t) w): a function of |s - t|, in either layout.
TEST(LayoutBugs, L9ASineAndItsCosineShareAFrequency) {
  const auto product = [](const char* spec, double s, double t) {
    const Vector a = row(spec, 32, s), b = row(spec, 32, t);
    double sum = 0.0;
    for (std::size_t i = 0; i < 32; ++i) sum += a[i] * b[i];
    return sum;
  };
  for (const double lag : {0.0, 1.0, 9.0, 100.0}) {
    double expected = 0.0;
    for (std::size_t k = 0; k < 16; ++k)
      expected += std::cos(lag * std::pow(10000.0, -real(k) / 16.0));
    for (const char* spec : {"sinusoidal", "sinusoidal(layout=split)"})
      for (const double t : {0.0, 17.0, 5000.0}) {
        EXPECT_NEAR(product(spec, t + lag, t), expected, 1e-12) << spec << ", " << lag;
        EXPECT_NEAR(product(spec, t, t + lag), expected, 1e-12) << spec << ", " << lag;
      }
  }
}

// diffusers#12538 (Wan): thirds and [22, 21, 21] of 64 pairs are two things. Each section has a
// ladder of its own, from 1 on, and the sections fill the head.
TEST(LayoutBugs, L10SectionsFillTheHeadAndRestartTheLadder) {
  const Vector w = inv_freq("mrope(kind=vision,sections=22:21:21)", 128);
  ASSERT_EQ(w.size(), 64U);
  for (std::size_t i = 0; i < 64; ++i) {
    const std::size_t own = i < 22 ? i : i < 43 ? i - 22 : i - 43;
    EXPECT_NEAR(w[i], std::pow(10000.0, -real(own) / (i < 22 ? 22.0 : 21.0)), 1e-15) << i;
  }
  expect_error(ErrorCode::kUsage, "sections must sum to dim/2 = 64 but sum to 63", [] {
    encodings().make("mrope(kind=vision,sections=21:21:21)")->effects({.dim = 128});
  });
  expect_error(ErrorCode::kUsage, "multiple of 6",
               [] { encodings().make("axial(axes=3)")->effects({.dim = 128}); });
}

// vllm#55140, vllm-fork#2133, sglang#31806, mlx-vlm#1621: line and column fell together, a fourth
// section was lost, a chunk started again at 0. Pair j of 8 turns by the coordinate of its axis.
TEST(LayoutBugs, L11EachAxisTurnsItsOwnPairs) {
  const auto cosines = [](const char* spec, const Vector& point) {
    Matrix at(1, static_cast<Index>(point.size()));
    std::copy(point.begin(), point.end(), at.values().begin());
    return values(make_table(*encodings().make(spec), {.kind = TableKind::kCos,
                                                       .positions = Positions::from(at),
                                                       .extent = {.dim = 16},
                                                       .dtype = Dtype::kF64}));
  };
  const auto expect_axes = [&](const char* spec, const Vector& point, const Vector& turned_by) {
    const Vector found = cosines(spec, point);
    for (std::size_t j = 0; j < 8; ++j)
      EXPECT_NEAR(found[j], std::cos(turned_by[j] * std::pow(10000.0, -real(j) / 8.0)), 1e-12) << j;
  };
  expect_axes("mrope(sections=2:3:3)", {1000, 5, 9}, {1000, 1000, 5, 5, 5, 9, 9, 9});
  expect_axes("mrope(sections=2:3:3)", {1000, 9, 5}, {1000, 1000, 9, 9, 9, 5, 5, 5});
  expect_axes("mrope(sections=2:2:2:2)", {7, 5, 9, 3}, {7, 7, 5, 5, 9, 9, 3, 3});
}

}  // namespace
}  // namespace sextant
