// SPDX-License-Identifier: Apache-2.0
#include "kernels/rotary_table.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/rounding.h"
#include "kernels/rotary_rows.h"
#include "math/elementary.h"

namespace sextant {
namespace {

std::vector<DoubleDouble> ladder(double base, Index dim) {
  std::vector<DoubleDouble> result;
  for (Index i = 0; i < dim / 2; ++i) result.push_back(rational_power(base, -2 * i, dim));
  return result;
}

struct Filled {
  std::vector<float> cos, sin;

  explicit Filled(std::size_t size) : cos(size, NAN), sin(size, NAN) {}
  RotaryTable table() { return {cos, sin}; }

  // Equality of bits: -0 is not 0, and a value that was never written is not equal.
  friend bool operator==(const Filled& a, const Filled& b) {
    const auto same = [](const std::vector<float>& x, const std::vector<float>& y) {
      return x.size() == y.size() && std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
    };
    const bool written = std::none_of(a.cos.begin(), a.cos.end(), [](float x) { return x != x; });
    return written && same(a.cos, b.cos) && same(a.sin, b.sin);
  }
};

Filled fast(const Positions& positions, const std::vector<DoubleDouble>& frequencies,
            DoubleDouble magnitude = 1.0, Index threads = 1) {
  Filled result(static_cast<std::size_t>(positions.size()) * frequencies.size());
  fill_rotary_table(positions, frequencies, magnitude, threads, result.table());
  return result;
}

Filled plain(const Positions& positions, const std::vector<DoubleDouble>& frequencies,
             DoubleDouble magnitude = 1.0) {
  Filled result(static_cast<std::size_t>(positions.size()) * frequencies.size());
  fill_rotary_table_plain(positions, frequencies, magnitude, result.table());
  return result;
}

TEST(RotaryTable, FastPathEqualsPlainPathBitForBit) {
  struct Case {
    Index count;
    double offset, base, magnitude;
    Index dim;
  };
  for (const Case& c :
       {Case{5000, 0, 1e4, 1.0, 128}, Case{3000, 9999000, 5e5, 1.0, 66},
        Case{3000, -1500, 1e4, 1.0, 62}, Case{3000, -10000000, 1e9, 1.0, 14},
        Case{4097, -4097, 1e2, 1.0, 34}, Case{3000, 77, 1e6, 1.1386294361119891, 128},
        Case{3000, -900, 1e4, 0.1, 128}, Case{2500, 2147480000, 1e4, 1.0, 64},
        Case{2500, -2147483647, 1e4, 1.0, 64}, Case{600, 5, 1e12, 3e4, 2}}) {
    const auto frequencies = ladder(c.base, c.dim);
    const Positions positions = Positions::range(c.count, c.offset);
    EXPECT_TRUE(fast(positions, frequencies, c.magnitude) ==
                plain(positions, frequencies, c.magnitude))
        << c.count << " from " << c.offset << ", base " << c.base << ", dim " << c.dim;
  }
}

TEST(RotaryTable, MagnitudeInTwoWordsIsNotRoundedFirst) {
  const DoubleDouble magnitude = 1.0 / DoubleDouble(3.0);
  const auto frequencies = ladder(1e4, 64);
  EXPECT_TRUE(fast(Positions::range(4000), frequencies, magnitude) ==
              plain(Positions::range(4000), frequencies, magnitude));
}

TEST(RotaryTable, FrequenciesOfAnyKindAgreeOnBothPaths) {
  const std::vector<DoubleDouble> odd = {0.0, 1e-30, -0.3, 3.0, {0.1, 1e-18}, 0.0, 250.0};
  for (const double offset : {-2000.0, 0.0, 1e6}) {
    const Positions positions = Positions::range(3000, offset);
    EXPECT_TRUE(fast(positions, odd) == plain(positions, odd)) << offset;
  }
  const std::vector<DoubleDouble> too_fast_for_the_fast_path = {300.0, 1e3};
  EXPECT_TRUE(fast(Positions::range(1000), too_fast_for_the_fast_path) ==
              plain(Positions::range(1000), too_fast_for_the_fast_path));
}

TEST(RotaryTable, EveryInstructionSetGivesTheSameBits) {
  const auto frequencies = ladder(5e5, 90);
  const Positions positions = Positions::range(3000, 123456);
  const Filled expected = plain(positions, frequencies, 1.5);
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    EXPECT_TRUE(fast(positions, frequencies, 1.5) == expected) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

TEST(RotaryTable, ThreadsDoNotChangeABit) {
  const auto frequencies = ladder(1e4, 96);
  const Positions positions = Positions::range(7001, -1234);
  const Filled one = fast(positions, frequencies, 1.25);
  for (const Index threads : {2, 3, 8}) {
    EXPECT_TRUE(fast(positions, frequencies, 1.25, threads) == one) << threads;
  }
}

TEST(RotaryTable, AShorterTableIsAPrefixOfALongerOne) {
  const auto frequencies = ladder(1e4, 64);
  const Filled longer = fast(Positions::range(9000), frequencies);
  for (const Index count : {1, 31, 255, 256, 2049, 8999}) {
    Filled prefix(static_cast<std::size_t>(count) * frequencies.size());
    std::copy_n(longer.cos.begin(), prefix.cos.size(), prefix.cos.begin());
    std::copy_n(longer.sin.begin(), prefix.sin.size(), prefix.sin.begin());
    EXPECT_TRUE(fast(Positions::range(count), frequencies) == prefix) << count;
  }
}

TEST(RotaryTable, APairIsWrittenAsIfItWereAlone) {
  const auto frequencies = ladder(1e4, 30);
  const Filled all = fast(Positions::range(1000), frequencies);
  for (std::size_t j = 0; j < frequencies.size(); ++j) {
    const Filled alone = fast(Positions::range(1000), {frequencies[j]});
    for (std::size_t i = 0; i < 1000; ++i) {
      ASSERT_EQ(alone.cos[i], all.cos[i * frequencies.size() + j]);
      ASSERT_EQ(alone.sin[i], all.sin[i * frequencies.size() + j]);
    }
  }
}

TEST(RotaryTable, OneOfTheTwoTablesIsEnough) {
  const auto frequencies = ladder(1e4, 44);
  for (const Index count : {100, 2000}) {
    const Positions positions = Positions::range(count, -50);
    const Filled both = plain(positions, frequencies, 0.7);
    std::vector<float> cos(both.cos.size()), sin(both.sin.size());
    fill_rotary_table(positions, frequencies, 0.7, 1, {.cos = cos, .sin = {}});
    fill_rotary_table(positions, frequencies, 0.7, 1, {.cos = {}, .sin = sin});
    EXPECT_EQ(cos, both.cos);
    EXPECT_EQ(sin, both.sin);
  }
}

TEST(RotaryTable, PositionZeroIsExactAndNegativePositionsMirror) {
  const auto frequencies = ladder(1e4, 32);
  const std::size_t pairs = frequencies.size();
  const Filled table = fast(Positions::range(2001, -1000), frequencies);
  for (std::size_t j = 0; j < pairs; ++j) {
    EXPECT_EQ(table.cos[1000 * pairs + j], 1.0f);
    EXPECT_EQ(table.sin[1000 * pairs + j], 0.0f);
    for (std::size_t t = 1; t <= 1000; ++t) {
      ASSERT_EQ(table.cos[(1000 - t) * pairs + j], table.cos[(1000 + t) * pairs + j]);
      ASSERT_EQ(table.sin[(1000 - t) * pairs + j], -table.sin[(1000 + t) * pairs + j]);
    }
  }
}

TEST(RotaryTable, FractionalAndScatteredPositionsAreServed) {
  const auto frequencies = ladder(1e4, 16);
  EXPECT_TRUE(fast(Positions::range(1000, 0.25), frequencies) ==
              plain(Positions::range(1000, 0.25), frequencies));
  Matrix scattered(700, 1);
  for (Index i = 0; i < 700; ++i) scattered(i, 0) = static_cast<double>((i * 389) % 1009) / 8.0;
  const Filled table = fast(Positions::from(scattered), frequencies, 1.0, 2);
  EXPECT_TRUE(table == plain(Positions::from(scattered), frequencies));
  EXPECT_EQ(table.cos[16 * 8], to_float(cos_sin(scattered(16, 0), frequencies[0]).cos));
}

TEST(RotaryTable, EmptyTablesAreLeftAlone) {
  fill_rotary_table(Positions::range(0), ladder(1e4, 8), 1.0, 2, {});
  fill_rotary_table(Positions::range(1000), {}, 1.0, 2, {});
  fill_rotary_table(Positions::range(1000), ladder(1e4, 8), 1.0, 2, {});
}

TEST(RotaryRows, ReportsTheValuesThatTheBoundLeavesOpen) {
  // Halfway between two floats: open. Far from it: settled.
  const std::vector<double> start_cos = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  const std::vector<double> zero(9, 0.0), error(9, 1e-15);
  std::vector<double> step = start_cos;
  step[2] = step[8] = 1.0 + 0x1p-24;
  std::vector<float> cos(9), sin(9);
  const RotaryRows rows = {.start_cos = start_cos,
                           .start_sin = zero,
                           .step_cos = step,
                           .step_sin = zero,
                           .cos_error = error,
                           .sin_error = zero,
                           .cos = cos.data(),
                           .sin = sin.data(),
                           .stride = 9};
  std::vector<Index> open;
  fill_rotary_rows(rows, [&](Index row, Index pair) {
    EXPECT_EQ(row, 0);
    open.push_back(pair);
  });
  EXPECT_EQ(open, (std::vector<Index>{2, 8}));
  EXPECT_EQ(cos[0], 1.0f);
}

}  // namespace
}  // namespace sextant
