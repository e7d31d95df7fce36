// SPDX-License-Identifier: Apache-2.0
#include "lab/schedule.h"

#include <gtest/gtest.h>

namespace sextant {
namespace {

constexpr double kRateRounding = 1e-15;  // of a few operations on numbers near 1

TEST(LearningRate, RisesLinearlyToTheRate) {
  const Schedule schedule{.steps = 100, .rate = 0.5, .warm_up = 4, .decay_from = 1.0};
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 0), 0.125);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 1), 0.25);
  EXPECT_DOUBLE_EQ(learning_rate(schedule, 3), 0.5);
}

TEST(LearningRate, IsConstantBetweenWarmUpAndDecay) {
  const Schedule schedule{.steps = 100, .rate = 0.5, .warm_up = 4, .decay_from = 0.5};
  for (Index step = 4; step <= 50; ++step) EXPECT_EQ(learning_rate(schedule, step), 0.5);
  EXPECT_LT(learning_rate(schedule, 51), 0.5);
}

TEST(LearningRate, FallsAsAHalfCosineToZero) {
  const Schedule schedule{.steps = 120, .rate = 1.0, .warm_up = 0, .decay_from = 0.5};
  EXPECT_NEAR(learning_rate(schedule, 80), 0.75, kRateRounding);   // cos(pi/3) = 1/2
  EXPECT_NEAR(learning_rate(schedule, 90), 0.5, kRateRounding);    // cos(pi/2) = 0
  EXPECT_NEAR(learning_rate(schedule, 100), 0.25, kRateRounding);  // cos(2 pi/3) = -1/2
  EXPECT_NEAR(learning_rate(schedule, 120), 0.0, kRateRounding);
  EXPECT_GT(learning_rate(schedule, 119), 0.0);
}

TEST(LearningRate, NeedsNeitherWarmUpNorDecay) {
  const Schedule schedule{.steps = 7, .rate = 0.25, .warm_up = 0, .decay_from = 1.0};
  for (Index step = 0; step < 7; ++step) EXPECT_EQ(learning_rate(schedule, step), 0.25);
}

TEST(LearningRate, IsAProductWhereWarmUpReachesIntoTheDecay) {
  const Schedule both{.steps = 10, .rate = 1.0, .warm_up = 10, .decay_from = 0.0};
  const Schedule falling{.steps = 10, .rate = 1.0, .warm_up = 0, .decay_from = 0.0};
  EXPECT_NEAR(learning_rate(both, 4), 0.5 * learning_rate(falling, 4), kRateRounding);
}

}  // namespace
}  // namespace sextant
