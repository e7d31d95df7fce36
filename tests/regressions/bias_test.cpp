// SPDX-License-Identifier: Apache-2.0
// Bugs of biases that were reported in public against other programs, L13 to L16 of docs/bugs.md,
// as tests of this one.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sextant/registry.h"
#include "support/expect_error.h"
#include "theory/attention.h"

namespace sextant {
namespace {

// Press et al.: 2^a heads have 2^(-8h/2^a), h = 1, 2, ...; others those of the power of two below,
// then the first, third, ... of the power above.
Vector published_slopes(Index heads) {
  Index power = 1;
  while (2 * power <= heads) power *= 2;
  Vector slopes;
  for (Index h = 1; h <= power; ++h)
    slopes.push_back(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(power)));
  for (Index h = 1; static_cast<Index>(slopes.size()) < heads; h += 2)
    slopes.push_back(std::exp2(-4.0 * static_cast<double>(h) / static_cast<double>(power)));
  return slopes;
}

// mlx#343, #3071, transformers#28380, TensorRT-LLM#1611, x-transformers#85, aprender#2143.
TEST(LayoutBugs, L13AlibiHasThePublishedSlopesForEveryHeadCount) {
  for (Index heads = 1; heads <= 128; ++heads) {
    const auto effects = encodings().make("alibi")->effects({.heads = heads});
    const Vector slopes = published_slopes(heads);
    for (Index h = 0; h < heads; ++h) {
      const double slope = slopes[static_cast<std::size_t>(h)];
      EXPECT_NEAR(-effects.logit->at(h, 1.0, 0.0), slope, 1e-15 * slope) << h << " of " << heads;
    }
  }
}

// Megatron-DeepSpeed#227, flashinfer#1606, #5101: a part of the heads had the slopes of a model
// with so few. A head count that is stated holds: another one is refused.
TEST(LayoutBugs, L14SlopesAreThoseOfAllHeads) {
  const auto encoding = encodings().make("alibi(heads=8)");
  EXPECT_EQ(-encoding->effects({.heads = 8}).logit->at(4, 1.0, 0.0), 0.03125);  // 2^-5
  for (const Index local : {1, 2, 4, 16})
    expect_error(ErrorCode::kUsage, "heads must be 8",
                 [&] { encoding->effects({.heads = local}); });
}

// llm-foundry#186, no bug: under a causal mask m t and -m (s - t) differ by m s in row s, which
// softmax cancels.
TEST(LayoutBugs, L15TheKeyOnlyFormIsTheSameAttention) {
  const auto bias = *encodings().make("alibi(slope=0.3,causal=1)")->effects({}).logit;
  EigenMatrix ours(12, 12), key_only(12, 12);
  for (Index s = 0; s < 12; ++s) {
    for (Index t = 0; t < 12; ++t) {
      ours(s, t) = bias.at(0, static_cast<double>(s), static_cast<double>(t));
      key_only(s, t) =
          t > s ? -std::numeric_limits<double>::infinity() : 0.3 * static_cast<double>(t);
    }
  }
  const EigenMatrix a = softmax_rows(ours), b = softmax_rows(key_only);
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-15);
}

__extension__ typedef unsigned __int128 Wide;

Wide power(Index base, Index exponent) {
  Wide result = 1;
  for (Index i = 0; i < exponent; ++i) result *= static_cast<Wide>(base);
  return result;
}

// Whole numbers only: distances below `exact` have a bucket each; then bucket exact + k opens at
// the first n with n >= exact (distance/exact)^(k/steps), that is n^steps >= exact^(steps-k)
// distance^k.
Index exact_bucket(Index n, Index buckets, Index distance) {
  const Index exact = buckets / 2, steps = buckets - exact;
  if (n < exact) return n;
  if (n >= distance) return buckets - 1;
  Index k = 0;
  while (k + 1 < steps && power(n, steps) >= power(exact, steps - k - 1) * power(distance, k + 1))
    ++k;
  return exact + k;
}

// transformers#16155, #16170, #8518, #8047, x-transformers#10, #11: the distance was 128 whatever
// the config said, and logarithms in float put borders one off.
TEST(LayoutBugs, L16BucketsAreExactForEveryLagAndDistance) {
  struct Case {
    Index buckets, distance;
    bool causal;
  };
  for (const Case& c :
       {Case{32, 128, false}, Case{32, 256, false}, Case{32, 100, false}, Case{16, 20, false},
        Case{32, 128, true}, Case{32, 64, true}, Case{8, 1000, true}}) {
    Tensor table{.shape = {c.buckets, 1}, .values = {}};
    for (Index b = 0; b < c.buckets; ++b) table.values.push_back(static_cast<double>(b));
    const std::string spec = "t5(buckets=" + std::to_string(c.buckets) +
                             ",distance=" + std::to_string(c.distance) +
                             (c.causal ? ",causal=1)" : ")");
    const auto effects = encodings().make(spec, {{"file", table}})->effects({.heads = 1});
    const Index side = c.causal ? c.buckets : c.buckets / 2;
    for (Index lag = -4096; lag <= 4096; ++lag) {
      const Index n = c.causal ? std::max<Index>(lag, 0) : std::abs(lag);
      const Index ahead = !c.causal && lag < 0 ? side : 0;
      ASSERT_EQ(effects.logit->at(0, static_cast<double>(lag), 0.0),
                static_cast<double>(exact_bucket(n, side, c.distance) + ahead))
          << spec << " at " << lag;
    }
  }
}

}  // namespace
}  // namespace sextant
