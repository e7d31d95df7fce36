// SPDX-License-Identifier: Apache-2.0
#include "model/precision_loss.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "encoding/rotary.h"

namespace sextant {
namespace {

const PrecisionCurve& curve(const PrecisionLoss& loss, std::string_view what,
                            std::string_view dtype) {
  for (const PrecisionCurve& each : loss.curves)
    if (each.what == what && each.dtype == dtype) return each;
  ADD_FAILURE() << what << " " << dtype;
  return loss.curves.front();
}

// The first position above 0.1 for heads of 128, as docs/numerics.md has them.
TEST(PrecisionLoss, FrequenciesInBfloat16FailWithinAHundredPositions) {
  for (const auto& [base, first] :
       {std::pair{1e4, Index{85}}, std::pair{5e5, Index{60}}, std::pair{1e6, Index{92}}}) {
    const PrecisionLoss loss = precision_loss(geometric_ladder(base, 128), 1024);
    EXPECT_EQ(curve(loss, "inv_freq", "bf16").first[2], first) << base;
  }
}

// bfloat16 has 8 bits: 257 is the first integer that it does not hold; half has 11: 2049.
TEST(PrecisionLoss, PositionsFailAtTheFirstIntegerThatTheFormatLacks) {
  const PrecisionLoss loss = precision_loss(geometric_ladder(1e4, 128), 300);
  EXPECT_EQ(curve(loss, "position", "bf16").first[2], Index{257});
  EXPECT_LT(curve(loss, "position", "f16").worst.back(), 1e-12);
  EXPECT_FALSE(curve(loss, "position", "f16").first[0].has_value());
  const PrecisionLoss longer = precision_loss(geometric_ladder(1e4, 128), 4096);
  EXPECT_GT(curve(longer, "position", "f16").first[2].value_or(0), Index{2048});
}

// docs/numerics.md: 3.4e-3 at 131072 for base 1e4; the largest up to there is no less.
TEST(PrecisionLoss, PhasesInFloatLoseThreeDigitsAtALongContext) {
  const PrecisionLoss loss = precision_loss(geometric_ladder(1e4, 128), 131073);
  EXPECT_EQ(loss.positions.back(), 131072);
  const double worst = curve(loss, "phase", "f32").worst.back();
  EXPECT_GT(worst, 3.3e-3);
  EXPECT_LT(worst, 131072.0 * 0x1p-23);  // half an ulp of the phase, and of the frequency
}

TEST(PrecisionLoss, HalfPositionsBeyondTheLargestHalfLoseEverything) {
  const PrecisionLoss loss = precision_loss(geometric_ladder(1e4, 8), 70000);
  EXPECT_EQ(curve(loss, "position", "f16").worst.back(), 2.0);
}

TEST(PrecisionLoss, CurvesNeverFallAndStandAtRisingPositions) {
  const PrecisionLoss loss = precision_loss(geometric_ladder(5e5, 64), 20000);
  EXPECT_TRUE(std::ranges::is_sorted(loss.positions));
  EXPECT_EQ(std::ranges::adjacent_find(loss.positions), loss.positions.end());
  for (const PrecisionCurve& each : loss.curves) {
    EXPECT_EQ(each.worst.size(), loss.positions.size());
    EXPECT_TRUE(std::ranges::is_sorted(each.worst)) << each.what << each.dtype;
  }
}

TEST(PrecisionLoss, OfOnePositionIsNothing) {
  const PrecisionLoss loss = precision_loss(geometric_ladder(1e4, 16), 1);
  for (const PrecisionCurve& each : loss.curves) {
    EXPECT_EQ(each.worst, Vector{0.0});
  }
}

}  // namespace
}  // namespace sextant
