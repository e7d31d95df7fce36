// SPDX-License-Identifier: Apache-2.0
#include "theory/nearest_repeat.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sextant/registry.h"

namespace sextant {
namespace {

double plain_distance(Index dim, Index lag) {
  double sum = 0.0;
  for (Index k = 0; k < dim / 2; ++k) {
    const double frequency =
        std::pow(10000.0, -2.0 * static_cast<double>(k) / static_cast<double>(dim));
    sum += 2.0 - 2.0 * std::cos(frequency * static_cast<double>(lag));
  }
  return std::sqrt(sum);
}

// One wave of period 2 pi: 710 = 2 * 355 is the best multiple, for 355/113 is so close to pi.
TEST(NearestRepeat, OfOneWaveIsThatOfPi) {
  const NearestRepeat nearest = nearest_repeat(2, 1, 5000);
  EXPECT_EQ(nearest.lag, 710);
  EXPECT_NEAR(nearest.distance, std::abs(2.0 * std::sin(355.0)), 1e-12);
  EXPECT_EQ(nearest_repeat(2, 1, 300).lag, 44);
}

// 3000 lags take several blocks of the sweep, and the last one is not full.
TEST(NearestRepeat, IsThatOfTryingEveryLag) {
  for (const Index dim : {4, 6, 10}) {
    for (const Index first : {1, 7, 1500}) {
      Index best = first;
      for (Index lag = first; lag <= 3000; ++lag)
        if (plain_distance(dim, lag) < plain_distance(dim, best)) best = lag;
      const NearestRepeat nearest = nearest_repeat(dim, first, 3000);
      EXPECT_EQ(nearest.lag, best) << "dim " << dim << " from " << first;
      EXPECT_NEAR(nearest.distance, plain_distance(dim, best), 1e-11);
      EXPECT_LT(nearest.rounding, 1e-13);
    }
  }
}

TEST(SinusoidalDistance, IsThatOfTheTable) {
  const Extent extent{.positions = 1, .dim = 64};
  const Effects effects = encodings().make("sinusoidal")->effects(extent);
  Vector here(64), there(64);
  for (const double lag : {1.0, 17.0, 123456.0}) {
    effects.input->row(1000.0, here);
    effects.input->row(1000.0 + lag, there);
    double sum = 0.0;
    for (std::size_t i = 0; i < here.size(); ++i)
      sum += (here[i] - there[i]) * (here[i] - there[i]);
    EXPECT_NEAR(sinusoidal_distance(64, static_cast<Index>(lag)), std::sqrt(sum), 1e-13);
  }
}

}  // namespace
}  // namespace sextant
