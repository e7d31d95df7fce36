// SPDX-License-Identifier: Apache-2.0
#include "theory/profile_cost.h"

#include <gtest/gtest.h>

#include "sextant/profile.h"
#include "sextant/registry.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

constexpr Extent kLarge = {.positions = 16384, .dim = 65536, .heads = 8};

TEST(ProfileCost, GrowsWithPairsAndWidth) {
  const auto work = [](Index positions, Index dim) {
    return profile_cost({.input = true}, {.positions = positions, .dim = dim, .heads = 1}, 8, false)
        .work;
  };
  EXPECT_DOUBLE_EQ(work(200, 64), 4.0 * work(100, 64));
  EXPECT_DOUBLE_EQ(work(100, 128), 2.0 * work(100, 64));
}

TEST(ProfileCost, HoldsEveryRowAndTheBasisOfADenseGenerator) {
  const double rows = profile_cost({.input = true}, kLarge, 2048, false).bytes;
  EXPECT_GE(rows, 8.0 * 16384 * 65536);
  const Extent small = {.positions = 10, .dim = 100, .heads = 1};
  const Sites map = {.query_key = true};
  EXPECT_GE(profile_cost(map, small, 5, true).bytes, 8.0 * 100 * 100 * 100);
  EXPECT_LT(profile_cost(map, small, 5, false).bytes, 8.0 * 100 * 100 * 100);
  EXPECT_GE(profile_cost(map, small, 5, true).work, 10.0 * 100 * 100 * 100);
}

TEST(ProfileCost, IsRefusedBeforeTheWorkWithWhatToLower) {
  const ProfileOptions large{.train = 2048, .to = 16384, .dim = 65536};
  for (const char* part : {"--to", "--dim", "sinusoidal"}) {
    expect_error(ErrorCode::kRefused, part,
                 [&] { extrapolation_profile(*encodings().make("sinusoidal"), large); });
    expect_error(ErrorCode::kRefused, part, [&] {
      extrapolation_profiles({"alibi", "sinusoidal"}, large, 2);
    });
  }
}

TEST(ProfileCost, CountsTheMemoryOfAllThreads) {
  const ProfileCost petabyte{.bytes = 1e15, .work = 1.0};
  expect_error(ErrorCode::kRefused, "--threads",
               [&] { refuse_beyond_means("some", petabyte, kLarge, 1000); });
  EXPECT_NO_THROW(refuse_beyond_means("some", {.bytes = 1e3, .work = 1.0}, kLarge, 8));
}

}  // namespace
}  // namespace sextant
