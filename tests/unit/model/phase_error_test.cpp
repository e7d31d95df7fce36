// SPDX-License-Identifier: Apache-2.0
#include "model/phase_error.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "encoding/rotary.h"

namespace sextant {
namespace {

constexpr Index kFar = Index{1} << 24;
constexpr std::array kBases = {1e4, 5e5, 1e6};
constexpr Index kHead = 128;

std::vector<double> ladder(double base) { return doubles(geometric_ladder(base, kHead)); }

// Plain and slow: every position, every pair, by the library's cosine.
std::optional<Index> first_by_scan(const std::vector<double>& meant,
                                   const std::vector<double>& used, double error, Index most) {
  for (Index t = 1; t <= most; ++t) {
    for (std::size_t i = 0; i < meant.size(); ++i) {
      const auto position = static_cast<double>(t);
      if (std::abs(std::cos(position * meant[i]) - std::cos(position * used[i])) > error) return t;
    }
  }
  return std::nullopt;
}

// Published thresholds: 60 to 92 positions until bfloat16 frequencies are off by 0.1.
TEST(FirstDeparture, FindsTheThresholdsOfFrequenciesInBfloat16) {
  constexpr Index kExpected[3][3] = {{2, 9, 85}, {1, 6, 60}, {2, 10, 92}};
  for (std::size_t b = 0; b < kBases.size(); ++b) {
    const std::vector<double> exact = ladder(kBases[b]);
    for (std::size_t e = 0; e < std::size(kPhaseErrors); ++e)
      EXPECT_EQ(first_departure(exact, rounded(exact, ShortType::kBfloat16), kPhaseErrors[e], kFar),
                kExpected[b][e])
          << kBases[b] << " " << kPhaseErrors[e];
  }
}

TEST(FirstDeparture, FindsTheThresholdsOfFrequenciesInHalf) {
  constexpr Index kExpected[3][3] = {{5, 45, 419}, {9, 64, 619}, {6, 60, 571}};
  for (std::size_t b = 0; b < kBases.size(); ++b) {
    const std::vector<double> exact = ladder(kBases[b]);
    for (std::size_t e = 0; e < std::size(kPhaseErrors); ++e)
      EXPECT_EQ(first_departure(exact, rounded(exact, ShortType::kHalf), kPhaseErrors[e], kFar),
                kExpected[b][e])
          << kBases[b] << " " << kPhaseErrors[e];
  }
}

TEST(FirstFloatDeparture, FindsTheThresholdsOfPhasesInFloat) {
  constexpr Index kExpected[3][3] = {
      {17978, 151363, 1284890}, {12974, 149171, 1580131}, {15660, 143185, 1301250}};
  for (std::size_t b = 0; b < kBases.size(); ++b) {
    for (std::size_t e = 0; e < std::size(kPhaseErrors); ++e)
      EXPECT_EQ(first_float_departure(ladder(kBases[b]), kPhaseErrors[e], kFar), kExpected[b][e])
          << kBases[b] << " " << kPhaseErrors[e];
  }
}

// Close and distant frequencies, where steps are long and where they are short.
TEST(FirstDeparture, EqualsAScanOfEveryPosition) {
  const std::vector<double> exact = ladder(1e4);
  for (const double stretch : {1.0001, 1.01, 1.5, 8.0}) {
    std::vector<double> used = exact;
    for (std::size_t i = 0; i < used.size(); i += 3) used[i] /= stretch;
    for (std::size_t i = 40; i < used.size(); ++i) used[i] /= stretch;
    used[0] = exact[0];
    for (const double error : kPhaseErrors)
      EXPECT_EQ(first_departure(exact, used, error, 5000), first_by_scan(exact, used, error, 5000))
          << stretch << " " << error;
  }
  std::vector<double> slow = exact;
  slow.back() /= 4.0;
  EXPECT_EQ(first_departure(exact, slow, 0.1, 20000), first_by_scan(exact, slow, 0.1, 20000));
}

TEST(FirstDeparture, FindsNothingWhereNothingDiffers) {
  const std::vector<double> exact = ladder(1e4);
  EXPECT_EQ(first_departure(exact, exact, 1e-3, kFar), std::nullopt);
  EXPECT_EQ(first_departure({}, {}, 1e-3, kFar), std::nullopt);
}

TEST(FloatPhaseBound, IsNotPassedBeforeTheFirstDeparture) {
  for (const double base : kBases) {
    const std::vector<double> exact = ladder(base);
    for (const double error : kPhaseErrors) {
      const std::optional<Index> first = first_float_departure(exact, error, kFar);
      ASSERT_TRUE(first);
      EXPECT_GE(float_phase_bound(exact, first.value_or(0)), error);
    }
  }
  EXPECT_EQ(float_phase_bound(std::array{1.0}, kFar), 0.0);
}

// By counting representable integers: 257 + 9 octaves of 128, and 2049 + 4 of 1024 + 1023.
TEST(DistinctPositions, CountsWhatShortTypesKeepApart) {
  EXPECT_EQ(distinct_positions(131072, ShortType::kBfloat16), 1409);
  EXPECT_EQ(distinct_positions(131072, ShortType::kHalf), 7168);
  EXPECT_EQ(distinct_positions(4096, ShortType::kBfloat16), 769);
  EXPECT_EQ(distinct_positions(4096, ShortType::kHalf), 3073);
  EXPECT_EQ(distinct_positions(257, ShortType::kBfloat16), 257);
  EXPECT_EQ(distinct_positions(258, ShortType::kBfloat16), 257);
  EXPECT_EQ(distinct_positions(0, ShortType::kHalf), 0);
}

TEST(DistinctPositions, EqualsACountOfRoundedPositions) {
  for (const Index count : {1, 2, 256, 300, 511, 512, 513, 1000, 5001}) {
    Index distinct = 0;
    double last = -1.0;
    for (Index t = 0; t < count; ++t) {
      const double value = rounded(static_cast<double>(t), ShortType::kBfloat16);
      if (value != last) ++distinct;
      last = value;
    }
    EXPECT_EQ(distinct_positions(count, ShortType::kBfloat16), distinct) << count;
  }
}

}  // namespace
}  // namespace sextant
