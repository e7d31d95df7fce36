// SPDX-License-Identifier: Apache-2.0
#include "run/rank_pulse.h"

#include <gtest/gtest.h>

namespace sextant {
namespace {

using namespace std::chrono_literals;

constexpr RankPulse::Clock::time_point kStart{};

TEST(RankPulse, NobodyIsLostWhileAllAreHeard) {
  RankPulse pulse({1, 2}, 8s, kStart);
  for (auto now = kStart; now < kStart + 60s; now += 1s) {
    pulse.heard(1, "reading", now);
    pulse.heard(2, "reading", now);
    EXPECT_FALSE(pulse.lost(now)) << now.time_since_epoch().count();
  }
}

TEST(RankPulse, ASilentRankIsLostAfterTheDeadlineWithItsLastStage) {
  RankPulse pulse({1, 2}, 8s, kStart);
  std::optional<Index> lost;
  auto now = kStart;
  pulse.heard(2, "counting part 3 of 8", kStart);
  for (; !lost && now < kStart + 60s; now += 1s) {
    pulse.heard(1, "reading", now);
    lost = pulse.lost(now);
  }
  EXPECT_EQ(lost, 2);
  EXPECT_EQ(now, kStart + 10s);  // nine seconds of silence are more than eight
  EXPECT_EQ(pulse.stage(2), "counting part 3 of 8");
}

TEST(RankPulse, ARankThatSaidGoodbyeIsNotMissed) {
  RankPulse pulse({1, 2}, 4s, kStart);
  pulse.left(1);
  EXPECT_FALSE(pulse.all_left());
  pulse.left(2);
  EXPECT_TRUE(pulse.all_left());
  for (auto now = kStart; now < kStart + 20s; now += 1s) EXPECT_FALSE(pulse.lost(now));
}

TEST(RankPulse, TimeInWhichThisProcessStoodStillCountsAgainstNobody) {
  RankPulse pulse({1}, 8s, kStart);
  EXPECT_FALSE(pulse.lost(kStart + 1s));
  EXPECT_FALSE(pulse.lost(kStart + 3600s));
  EXPECT_FALSE(pulse.lost(kStart + 3601s));
  for (int second = 2; second <= 6; ++second)
    EXPECT_FALSE(pulse.lost(kStart + 3600s + second * 1s));
  EXPECT_EQ(pulse.lost(kStart + 3608s), 1);
}

TEST(RankPulse, ARankHeardAfterAStandstillHasNoMoreTimeThanOthers) {
  RankPulse pulse({1}, 8s, kStart);
  pulse.heard(1, "", kStart + 3600s);
  EXPECT_FALSE(pulse.lost(kStart + 3600s));
  for (int second = 1; second <= 8; ++second)
    EXPECT_FALSE(pulse.lost(kStart + 3600s + second * 1s));
  EXPECT_EQ(pulse.lost(kStart + 3609s), 1);
}

}  // namespace
}  // namespace sextant
