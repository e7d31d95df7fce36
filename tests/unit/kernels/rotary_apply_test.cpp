// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "kernels/targets.h"
#include "sextant/rotary.h"
#include "support/heads.h"
#include "support/quad.h"

namespace sextant {
namespace {

// Products and sums in float, against the same in double: two roundings of the pair's norm, three
// without FMA.
constexpr double kFloatRounding = 3.0 * 0x1p-24;

std::vector<std::string> usable_targets() {
  std::vector<std::string> names;
  for (const SimdTarget& target : simd_targets())
    if (target.compiled && target.supported) names.push_back(target.name);
  return names;
}

double last_place(Dtype dtype, double size) {
  const int precision = dtype == Dtype::kF16 ? 11 : dtype == Dtype::kBF16 ? 8 : 24;
  const int least = dtype == Dtype::kF16 ? -14 : -126;
  const int exponent = size == 0.0 ? least : std::max(std::ilogb(size), least);
  return std::ldexp(1.0, exponent - (precision - 1));
}

struct Layout {
  const char* spec;
  Index dim;
};
// Whole blocks, single vectors, single pairs, coordinates that stay; both pairings.
constexpr Layout kLayouts[] = {{"rope", 128},
                               {"rope(pairing=interleaved)", 128},
                               {"rope", 2},
                               {"rope(pairing=interleaved)", 2},
                               {"rope", 86},
                               {"rope(pairing=interleaved)", 86},
                               {"rope(partial=0.25)", 80},
                               {"rope(partial=0.25,pairing=interleaved)", 80},
                               {"xpos", 24},
                               {"mrope(kind=interleaved)", 24},
                               {"jordan", 24},
                               {"decay", 7}};

double norm_at(const Heads& heads, Index n, Index h) {
  double sum = 0.0;
  for (Index i = 0; i < heads.view().dim; ++i) sum += heads.at(n, h, i) * heads.at(n, h, i);
  return std::sqrt(sum);
}

void expect_close(const Heads& found, const Heads& expected, const std::string& what) {
  const Dtype dtype = found.view().dtype;
  found.for_each([&](Index n, Index h, Index i) {
    const double size = norm_at(expected, n, h);
    // Values of one head bound those of a pair; 16-bit values may round to the other neighbour.
    const double slack = dtype == Dtype::kF32 ? 0.0 : last_place(dtype, expected.at(n, h, i));
    ASSERT_NEAR(found.at(n, h, i), expected.at(n, h, i), kFloatRounding * size + slack)
        << what << " at " << n << ' ' << h << ' ' << i;
  });
}

TEST(RotaryApply, TurnsPairsAsPublished) {
  // The pair (1, 0) at position 1 points to (cos w, sin w); the fastest w is 1.
  for (const bool interleaved : {false, true}) {
    const Rotary rotary(interleaved ? "rope(pairing=interleaved)" : "rope", 4);
    Heads x(Dtype::kF32, {.dim = 4});
    x.set(0, 0, 0, 1.0);
    apply_to_queries(rotary.range(1, 1), x.view(), x.view());
    EXPECT_NEAR(x.at(0, 0, 0), std::cos(1.0), 1e-7);
    EXPECT_NEAR(x.at(0, 0, interleaved ? 1 : 2), std::sin(1.0), 1e-7);
  }
}

TEST(RotaryApply, EveryTargetAgreesWithThePlainVersion) {
  ASSERT_FALSE(usable_targets().empty());
  for (const std::string& target : usable_targets()) {
    const ForcedTarget forced(target);
    for (const Layout& layout : kLayouts) {
      const Rotary rotary(layout.spec, layout.dim);
      const HeadSizes sizes{.tokens = 3, .heads = 5, .dim = layout.dim};
      const Turns turns = rotary.range(7, sizes.tokens);
      for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBF16}) {
        for (const bool backward : {false, true}) {
          Heads in(dtype, sizes), out(dtype, sizes, 3), plain(dtype, sizes);
          in.draw(1);
          const std::string what =
              fmt::format("{} {} {} {}", target, layout.spec, layout.dim, name(dtype));
          const ApplyOptions options{.backward = backward};
          apply_to_queries(turns, in.view(), out.view(), options);
          apply_to_queries_plain(turns, in.view(), plain.view(), options);
          expect_close(out, plain, what + " query");
          apply_to_keys_plain(turns, in.view(), plain.view(), options);
          apply_to_keys(turns, in.view(), in.view(), options);
          expect_close(in, plain, what + " key");
        }
      }
    }
  }
}

// Every finite value of a 16-bit type goes in and comes out: a turn by 0 is the identity, and so is
// half of the conversions; a turn by one radian meets all roundings, ties and subnormals among
// them.
TEST(RotaryApply, SixteenBitResultsAreWithinHalfAnUlpOfTheLargerOne) {
  constexpr Index kValues = 1 << 16;
  for (const std::string& target : usable_targets()) {
    const ForcedTarget forced(target);
    for (const Dtype dtype : {Dtype::kF16, Dtype::kBF16}) {
      const Rotary rotary("rope(pairing=interleaved)", 64);
      Heads in(dtype, {.tokens = kValues / 64, .dim = 64});
      for (Index i = 0; i < kValues; ++i)
        static_cast<std::uint16_t*>(in.view().data)[i] = static_cast<std::uint16_t>(i * 40503);
      Heads out = in;
      const std::vector<std::int32_t> positions(kValues / 64, 1000003);
      apply_to_keys(rotary.at(positions), in.view(), out.view());
      const double largest = dtype == Dtype::kF16 ? 65519.0 : 3e38;
      in.for_each([&](Index n, Index h, Index i) {
        if (i % 2 != 0) return;
        const Quad x = in.at(n, h, i), y = in.at(n, h, i + 1);
        if (finiteq(x) == 0 || finiteq(y) == 0) return;
        Quad sine, cosine;
        sincosq(1000003 * quad_power(10000.0, -static_cast<double>(i), 64.0), &sine, &cosine);
        const Quad turned[2] = {x * cosine - y * sine, x * sine + y * cosine};
        const double size = static_cast<double>(fmaxq(fabsq(turned[0]), fabsq(turned[1])));
        if (size > largest) return;
        for (Index w = 0; w < 2; ++w) {
          const Quad error = fabsq(static_cast<Quad>(out.at(n, h, i + w)) - turned[w]);
          ASSERT_LE(static_cast<double>(error), 0.51 * last_place(dtype, size))
              << target << ' ' << name(dtype) << ' ' << n << ' ' << i + w;
        }
      });
    }
  }
}

TEST(RotaryApply, SubnormalPairsAreWithinOneStepOfSubnormalNumbers) {
  constexpr double kStep = 0x1p-149;
  constexpr Index kTokens = 200;
  double worst = 0.0;  // of the part that the pair's norm does not cover, in steps
  for (const std::string& target : usable_targets()) {
    const ForcedTarget forced(target);
    for (const bool interleaved : {false, true}) {
      // All pairs turn by the token's number.
      const Rotary rotary(interleaved ? "rope(base=1,pairing=interleaved)" : "rope(base=1)", 64);
      for (const double size : {kStep, 0x1p-140, 0x1p-127, 0x1p-126, 0x1p-120}) {
        Heads x(Dtype::kF32, {.tokens = kTokens, .dim = 64});
        x.draw(7);
        x.for_each([&](Index n, Index h, Index i) { x.set(n, h, i, size * 4.0 * x.at(n, h, i)); });
        Heads y = x;
        apply_to_queries(rotary.range(0, kTokens), x.view(), y.view());
        for (Index n = 0; n < kTokens; ++n) {
          const double c = std::cos(static_cast<double>(n)), s = std::sin(static_cast<double>(n));
          for (Index pair = 0; pair < 32; ++pair) {
            const Index i = interleaved ? 2 * pair : pair, j = interleaved ? i + 1 : i + 32;
            const double a = x.at(n, 0, i), b = x.at(n, 0, j);
            const double error = std::max(std::abs(y.at(n, 0, i) - (a * c - b * s)),
                                          std::abs(y.at(n, 0, j) - (a * s + b * c)));
            worst = std::max(worst, (error - 1.62e-7 * std::hypot(a, b)) / kStep);
          }
        }
      }
    }
  }
  EXPECT_LE(worst, 1.0);
  EXPECT_GT(worst, 0.25);  // the norm alone is no bound
}

TEST(RotaryApply, OverflowOfSixteenBitsIsInfinity) {
  for (const std::string& target : usable_targets()) {
    const ForcedTarget forced(target);
    Heads x(Dtype::kF16, {.dim = 64});
    for (Index i = 0; i < 64; ++i) x.set(0, 0, i, i < 32 ? 65504.0 : -65504.0);
    apply_to_queries(Rotary("rope(base=1)", 64).range(1, 1), x.view(), x.view());
    // 65504 (cos 1 + sin 1) is 90511.
    for (Index i = 0; i < 32; ++i) EXPECT_EQ(x.at(0, 0, i), HUGE_VAL) << target;
  }
}

TEST(RotaryApply, BackwardIsTheTransposedMap) {
  for (const Layout& layout : kLayouts) {
    const Rotary rotary(layout.spec, layout.dim);
    const HeadSizes columns{.tokens = 1, .heads = layout.dim, .dim = layout.dim};
    const Turns turns = rotary.range(5, 1);
    for (const auto apply : {apply_to_queries, apply_to_keys}) {
      Heads forward(Dtype::kF32, columns), backward(Dtype::kF32, columns);
      for (Index i = 0; i < layout.dim; ++i) {
        forward.set(0, i, i, 1.0);
        backward.set(0, i, i, 1.0);
      }
      apply(turns, forward.view(), forward.view(), {});
      apply(turns, backward.view(), backward.view(), {.backward = true});
      forward.for_each([&](Index, Index i, Index j) {
        ASSERT_EQ(forward.at(0, i, j), backward.at(0, j, i)) << layout.spec << ' ' << i << ' ' << j;
      });
    }
  }
}

TEST(RotaryApply, ThreadsChangeNoBit) {
  const Rotary rotary("xpos", 64);
  const Turns turns = rotary.range(0, 37);
  Heads one(Dtype::kF32, {.tokens = 37, .heads = 3, .dim = 64});
  one.draw(2);
  Heads many = one;
  apply_to_keys(turns, one.view(), one.view());
  apply_to_keys(turns, many.view(), many.view(), {.threads = 5});
  EXPECT_EQ(one.bytes(), many.bytes());
}

TEST(RotaryApply, WhatDoesNotTurnKeepsItsBitsWhateverTheMagnitude) {
  const Rotary rotary("rope(scaling=yarn,factor=4,original=4096,partial=0.5)", 64);
  Heads in(Dtype::kF32, {.tokens = 2, .heads = 2, .dim = 64});
  in.draw(3);
  Heads out(Dtype::kF32, {.tokens = 2, .heads = 2, .dim = 64}, 2);
  apply_to_queries(rotary.range(0, 2), in.view(), out.view());
  // Position 0: cosines are the magnitude 1 + 0.1 ln 4.
  for (Index i = 0; i < 64; ++i) {
    const double factor = i < 32 ? 1.0 + 0.1 * std::log(4.0) : 1.0;
    EXPECT_NEAR(out.at(0, 1, i), factor * in.at(0, 1, i), 1.2e-7 * std::abs(in.at(0, 1, i)));
    if (i >= 32) {
      EXPECT_EQ(out.at(1, 1, i), in.at(1, 1, i));
    }
  }
}

TEST(RotaryApply, MemoryBetweenHeadsIsNotTouched) {
  const Rotary rotary("rope", 64);
  const HeadSizes sizes{.tokens = 2, .heads = 3, .dim = 64};
  Heads x(Dtype::kF32, sizes, 5);
  x.draw(5);
  apply_to_queries(rotary.range(3, 2), x.view(), x.view());
  x.for_each([&](Index n, Index h, Index i) { x.set(n, h, i, 0.0); });
  const Heads zero(Dtype::kF32, sizes, 5);
  EXPECT_EQ(x.bytes(), zero.bytes());
}

TEST(RotaryApply, HeadMajorIsTokenMajorTransposed) {
  constexpr Index kTokens = 4, kHeads = 3, kDim = 10;
  std::vector<float> a(kTokens * kHeads * kDim), b(a.size());
  for (Index n = 0; n < kTokens; ++n)
    for (Index h = 0; h < kHeads; ++h)
      for (Index i = 0; i < kDim; ++i)
        a[static_cast<std::size_t>((n * kHeads + h) * kDim + i)] =
            b[static_cast<std::size_t>((h * kTokens + n) * kDim + i)] =
                static_cast<float>(n + 10 * h + i);
  const Turns turns = Rotary("rope", kDim).range(9, kTokens);
  const HeadsView by_token = token_major(a.data(), kTokens, kHeads, kDim);
  const HeadsView by_head = head_major(b.data(), kTokens, kHeads, kDim);
  apply_to_queries(turns, by_token, by_token);
  apply_to_queries(turns, by_head, by_head);
  for (Index n = 0; n < kTokens; ++n)
    for (Index h = 0; h < kHeads; ++h)
      for (Index i = 0; i < kDim; ++i)
        ASSERT_EQ(a[static_cast<std::size_t>((n * kHeads + h) * kDim + i)],
                  b[static_cast<std::size_t>((h * kTokens + n) * kDim + i)]);
}

TEST(RotaryApply, ANumberThatIsNotFiniteStaysInItsPair) {
  for (const double bad : {HUGE_VAL, std::nan("")}) {
    for (const Dtype dtype : {Dtype::kF32, Dtype::kF16, Dtype::kBF16}) {
      for (const std::string& target : usable_targets()) {
        const ForcedTarget forced(target);
        Heads x(dtype, {.dim = 64});
        x.draw(4);
        x.set(0, 0, 5, bad);
        apply_to_queries(Rotary("rope", 64).range(11, 1), x.view(), x.view());
        for (Index i = 0; i < 64; ++i)
          EXPECT_EQ(std::isfinite(x.at(0, 0, i)), i != 5 && i != 37) << target << ' ' << i;
      }
    }
  }
}

}  // namespace
}  // namespace sextant
