// SPDX-License-Identifier: Apache-2.0
// Bugs of precision that were reported in public against other programs, P1 to P11 of docs/bugs.md,
// as tests of this one. Every expected number follows from the formula beside it.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "base/rounding.h"
#include "math/elementary.h"
#include "support/ladder.h"
#include "support/table_values.h"
#include "theory/attention.h"

namespace sextant {
namespace {

constexpr Dtype kAllTypes[] = {Dtype::kF64, Dtype::kF32, Dtype::kF16, Dtype::kBF16};

// Half a unit in the last place of numbers below 1, and a little for the way there.
double half_ulp(Dtype dtype) {
  switch (dtype) {
    case Dtype::kF64:
      return 0x1p-52;
    case Dtype::kF32:
      return 0x1.02p-25;
    case Dtype::kF16:
      return 0x1.02p-12;
    case Dtype::kBF16:
      return 0x1.02p-9;
  }
  return 0.0;
}

Vector turns(const std::string& spec, TableKind kind, Index dim, const Positions& positions,
             Dtype dtype) {
  return values(
      make_table(*encodings().make(spec),
                 {.kind = kind, .positions = positions, .extent = {.dim = dim}, .dtype = dtype}));
}

Positions list(const Vector& positions) {
  Matrix column(static_cast<Index>(positions.size()), 1);
  std::copy(positions.begin(), positions.end(), column.values().begin());
  return Positions::from(std::move(column));
}

// t base^(-2j/dim), to 64 bits.
long double phase(double t, double base, Index j, Index dim) {
  return static_cast<long double>(t) *
         std::pow(static_cast<long double>(base),
                  -2.0L * static_cast<long double>(j) / static_cast<long double>(dim));
}

// gpt-neox#1003. Pair 1 of 32 coordinates turns by 1857 * 10000^(-1/16) = 1044.267840878478...,
// whose cosine is 0.30669280981871063 and whose sine is 0.95180855239144820. bf16 has no number
// between 1040 and 1048.
TEST(PrecisionBugs, P1A16BitTableIsRoundedAfterTheCosine) {
  for (const Dtype dtype : kAllTypes) {
    for (const Index count : {1, 300}) {  // one by one, and by the fast path
      const Positions at = Positions::range(count, 1857.0);
      EXPECT_NEAR(turns("rope", TableKind::kCos, 32, at, dtype)[1], 0.30669280981871063,
                  half_ulp(dtype));
      EXPECT_NEAR(turns("rope", TableKind::kSin, 32, at, dtype)[1], 0.95180855239144820,
                  half_ulp(dtype));
    }
  }
}

// transformers#29285: under autocast every step ran in bf16. The only rounding that a table may
// show is its last one, at every position and pair.
TEST(PrecisionBugs, P2NothingButTheResultIsRounded) {
  constexpr Index kPositions = 1024, kDim = 64;
  for (const Dtype dtype : {Dtype::kF16, Dtype::kBF16}) {
    const Vector table = turns("rope", TableKind::kCos, kDim, Positions::range(kPositions), dtype);
    for (Index t = 0; t < kPositions; ++t) {
      for (Index j = 0; j < kDim / 2; ++j) {
        const auto exact =
            static_cast<double>(std::cos(phase(static_cast<double>(t), 1e4, j, kDim)));
        ASSERT_NEAR(table[static_cast<std::size_t>(t * kDim / 2 + j)], exact, half_ulp(dtype))
            << t << ", " << j;
      }
    }
  }
}

// transformers#29496: a cache that grew past its length was rebuilt from rounded frequencies.
// 20000 rows of 64 pairs take more than one stretch of the 16-bit path.
TEST(PrecisionBugs, P3ALongerTableHasTheRowsOfAShortOne) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kBF16}) {
    const Vector grown = turns("rope", TableKind::kCos, 128, Positions::range(20000), dtype);
    for (const Index first : {0, 4090, 16380, 19990}) {
      const Vector fresh = turns("rope", TableKind::kCos, 128,
                                 Positions::range(10, static_cast<double>(first)), dtype);
      for (std::size_t i = 0; i < fresh.size(); ++i) {
        ASSERT_EQ(grown[static_cast<std::size_t>(64 * first) + i], fresh[i]) << first;
      }
    }
  }
}

// transformers#25681: a model that was cast after it was built had another table than one that was
// built in the type. Here a 16-bit table is the float table, rounded.
TEST(PrecisionBugs, P4BuildingThenCastingIsCastingThenBuilding) {
  const Positions positions = Positions::range(600);
  const Vector single = turns("rope", TableKind::kSin, 64, positions, Dtype::kF32);
  const Vector half = turns("rope", TableKind::kSin, 64, positions, Dtype::kF16);
  const Vector brain = turns("rope", TableKind::kSin, 64, positions, Dtype::kBF16);
  for (std::size_t i = 0; i < single.size(); ++i) {
    ASSERT_EQ(half[i], from_half(to_half(single[i]))) << i;
    ASSERT_EQ(brain[i], from_bfloat16(to_bfloat16(single[i]))) << i;
  }
}

// Modalities#462, sglang-jax#1472, Megatron-LM#744, modded-nanogpt#39. bf16 keeps 8 bits: a
// frequency w may be off by 2^-9 w, and the phase at 4096 by up to 8 w radians.
TEST(PrecisionBugs, P5InvFreqIsNotRoundedBeforeThePhase) {
  for (const double t : {512.0, 4096.0}) {
    for (const Dtype dtype : kAllTypes) {
      const Vector row = turns("rope", TableKind::kCos, 128, list({t}), dtype);
      for (Index j = 0; j < 64; ++j) {
        EXPECT_NEAR(row[static_cast<std::size_t>(j)],
                    static_cast<double>(std::cos(phase(t, 1e4, j, 128))), half_ulp(dtype))
            << t << ", pair " << j;
      }
    }
  }
}

// pytorch#137774: arange in bf16 is ... 256, 256, 256, 258. Pair 0 turns by the position itself.
TEST(PrecisionBugs, P6NeighbouringPositionsStayApart) {
  const Vector at = {255.0, 256.0, 257.0, 258.0, 259.0, 2049.0, 16777215.0};
  for (const Dtype dtype : kAllTypes) {
    const Vector row = turns("rope", TableKind::kCos, 2, list(at), dtype);
    for (std::size_t i = 0; i < at.size(); ++i) {
      EXPECT_NEAR(row[i], std::cos(at[i]), half_ulp(dtype)) << at[i];
    }
  }
  EXPECT_EQ(Positions::range(3, 16777215.0)[2][0], 16777217.0);  // beyond the integers of float
}

// imp#1325: fast sines lose a hundredth of a turn at 131071. Cosine and sine of 40, 2000, 16000 and
// 131071 radians to twenty digits.
TEST(PrecisionBugs, P7FarAnglesAreReducedExactly) {
  const Vector at = {40.0, 2000.0, 16000.0, 131071.0};
  const Vector cosines = {-0.66693806165226184438, -0.36745954910083132978, -0.99138143446830686522,
                          -0.81798349938794908071};
  const Vector sines = {0.74511316047934878699, 0.93003950441613700792, 0.13100706618943186074,
                        -0.57524168375478937114};
  for (const Dtype dtype : kAllTypes) {
    const Vector c = turns("rope", TableKind::kCos, 2, list(at), dtype);
    const Vector s = turns("rope", TableKind::kSin, 2, list(at), dtype);
    for (std::size_t i = 0; i < at.size(); ++i) {
      EXPECT_NEAR(c[i], cosines[i], half_ulp(dtype)) << at[i];
      EXPECT_NEAR(s[i], sines[i], half_ulp(dtype)) << at[i];
    }
  }
}

// tt-metal#51845: a reduction by few terms of pi leaves |sin| above 1 past 1.7e7.
TEST(PrecisionBugs, P8CosineAndSineStayOnTheCircleAtAnyDistance) {
  Vector at;
  for (int k = 0; k <= 31; ++k) at.push_back(std::ldexp(1.0, k) - 1.0);
  at.insert(at.end(), {1.68e7, 0x1p31 + 1.0, 0x1p40 + 1.0});
  const Vector c = turns("rope", TableKind::kCos, 64, list(at), Dtype::kF64);
  const Vector s = turns("rope", TableKind::kSin, 64, list(at), Dtype::kF64);
  for (std::size_t i = 0; i < c.size(); ++i) {
    EXPECT_LE(std::abs(c[i]), 1.0) << at[i / 32];
    EXPECT_LE(std::abs(s[i]), 1.0) << at[i / 32];
    EXPECT_NEAR(c[i] * c[i] + s[i] * s[i], 1.0, 4 * 0x1p-52) << at[i / 32];
  }
}

// triton-xpu#7118, pico-sdk#1255, picongpu#1489. sin x = x - x^3/6 + ... at 1e-7 differs from x in
// the fifteenth digit; the sines of powers of two come from the C library's 64 bits.
TEST(PrecisionBugs, P9SmallSinesAreNotFlushedAndLargeOnesDoNotDrift) {
  EXPECT_NEAR(turns("rope", TableKind::kSin, 2, list({1e-7}), Dtype::kF64)[0],
              9.9999999999999833e-8, 2e-23);
  for (int k = 7; k < 42; ++k) {
    const double t = std::ldexp(1.0, k);
    EXPECT_NEAR(turns("rope", TableKind::kSin, 2, list({t}), Dtype::kF64)[0],
                static_cast<double>(std::sin(static_cast<long double>(t))), 0x1p-52)
        << "2^" << k;
  }
}

// The last row of a head's bias: distances n-1, ..., 1, 0.
Vector biases(Index heads, Index head, Index n, Dtype dtype) {
  Table table = make_table(*encodings().make("alibi"), {.kind = TableKind::kBias,
                                                        .positions = Positions::range(n),
                                                        .extent = {.heads = heads},
                                                        .dtype = dtype});
  const Index width = bytes_per_value(dtype);
  const auto last = table.bytes.begin() + ((head + 1) * n - 1) * n * width;
  table.bytes = {last, last + n * width};
  return values(table);
}

// TRT-Model-Connect#667, vllm-fork#503, OLMo#327, flash-attention#846. Distances below 4096 in
// bf16: all up to 256, then 128 in each of four octaves, 257 + 512 = 769; in f16 2049 + 1024 =
// 3073. The slope, 2^(-8) for one head, scales them without a loss.
TEST(PrecisionBugs, P10BiasesAreRoundedOnce) {
  const auto distinct = [](Dtype dtype) {
    const Vector row = biases(1, 0, 4096, dtype);
    return std::set<double>(row.begin(), row.end()).size();
  };
  EXPECT_EQ(distinct(Dtype::kBF16), 769U);
  EXPECT_EQ(distinct(Dtype::kF16), 3073U);
  // Head 9 of 12 has the slope 2^(-1/2), which no type holds: only its product is rounded.
  for (const Dtype dtype : {Dtype::kF32, Dtype::kBF16}) {
    const Vector row = biases(12, 8, 300, dtype);
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double exact = -std::sqrt(0.5) * static_cast<double>(row.size() - 1 - i);
      EXPECT_EQ(row[i], dtype == Dtype::kF32 ? static_cast<double>(static_cast<float>(exact))
                                             : from_bfloat16(to_bfloat16(exact)))
          << i;
    }
  }
}

// vllm#945: positions one off shift a whole row, which softmax forgives in exact arithmetic only.
TEST(PrecisionBugs, P11TheBiasOfAQueryOnItselfIsZero) {
  for (const Dtype dtype : kAllTypes) {
    const Vector row = biases(8, 0, 5, dtype);
    EXPECT_EQ(row, (Vector{-2.0, -1.5, -1.0, -0.5, 0.0}));
  }
  EigenMatrix logits(1, 4), shifted(1, 4);
  logits << -3.0, -2.0, -1.0, 0.0;
  shifted << 997.0, 998.0, 999.0, 1000.0;
  EXPECT_EQ(softmax_rows(logits), softmax_rows(shifted));
}

}  // namespace
}  // namespace sextant
