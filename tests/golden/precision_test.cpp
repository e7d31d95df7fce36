// SPDX-License-Identifier: Apache-2.0
// What careless programs lose: phases in float, frequencies or positions in bfloat16. The figures
// are those that docs/numerics.md quotes; an exact table is what they are measured against.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rounding.h"
#include "math/elementary.h"
#include "support/ladder.h"

namespace sextant {
namespace {

// The largest |cos error| over the pairs of a head of 128 at position t when the phase is `phase`.
template <typename Phase>
double worst_error(const std::vector<DoubleDouble>& ladder, double t, const Phase& phase) {
  double worst = 0.0;
  for (const DoubleDouble& w : ladder)
    worst = std::max(worst, std::abs(std::cos(phase(t, w)) - cos_sin(t, w).cos.high));
  return worst;
}

std::vector<DoubleDouble> ladder_of(double base) {
  const std::string spec = "rope(base=" + std::to_string(static_cast<long>(base)) + ")";
  return rotary_ladder(encodings().make(spec)->effects({.dim = 128}))->inv_freq;
}

double bfloat_frequency_phase(double t, const DoubleDouble& w) {
  return t * from_bfloat16(to_bfloat16(w.high));
}
double bfloat_position_phase(double t, const DoubleDouble& w) {
  return from_bfloat16(to_bfloat16(t)) * w.high;
}

// Everything in float, the frequency too: 1 / base^(2i/d), as most training code forms it.
double float_error(double base, double t) {
  double worst = 0.0;
  const auto ladder = ladder_of(base);
  for (std::size_t i = 0; i < ladder.size(); ++i) {
    const float exponent = 2.0f * static_cast<float>(i) / 128.0f;
    const float frequency = 1.0f / std::pow(static_cast<float>(base), exponent);
    const double phase = static_cast<float>(t) * frequency;
    worst = std::max(worst, std::abs(std::cos(phase) - cos_sin(t, ladder[i]).cos.high));
  }
  return worst;
}

TEST(PrecisionGolden, FloatPhasesAtALongContext) {
  EXPECT_NEAR(float_error(1e4, 131072.0), 3.4e-3, 5e-5);
  EXPECT_NEAR(float_error(5e5, 131072.0), 5.4e-3, 5e-5);
}

TEST(PrecisionGolden, FloatPhasesAtTenMillion) {
  EXPECT_NEAR(float_error(1e4, 1e7), 0.39, 5e-3);
  EXPECT_NEAR(float_error(5e5, 1e7), 0.60, 5e-3);
}

double first_error_above(double base, double limit, double (*phase)(double, const DoubleDouble&)) {
  const auto ladder = ladder_of(base);
  double t = 0.0;
  while (worst_error(ladder, t, phase) <= limit) t += 1.0;
  return t;
}

TEST(PrecisionGolden, FrequenciesInBfloat16FailWithinAHundredPositions) {
  EXPECT_EQ(first_error_above(1e4, 0.1, bfloat_frequency_phase), 85.0);
  EXPECT_EQ(first_error_above(5e5, 0.1, bfloat_frequency_phase), 60.0);
  EXPECT_EQ(first_error_above(1e6, 0.1, bfloat_frequency_phase), 92.0);
}

TEST(PrecisionGolden, PositionsInBfloat16FailAt257) {
  EXPECT_EQ(first_error_above(1e4, 0.1, bfloat_position_phase), 257.0);
}

}  // namespace
}  // namespace sextant
