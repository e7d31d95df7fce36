// SPDX-License-Identifier: Apache-2.0
#include "base/communicator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "support/expect_error.h"
#include "support/thread_ranks.h"

namespace sextant {
namespace {

// Item i has i numbers, so that no two are alike.
Vector numbers_of_item(Index i) {
  Vector numbers(static_cast<std::size_t>(i));
  std::iota(numbers.begin(), numbers.end(), 1.0 / static_cast<double>(i + 1));
  return numbers;
}

TEST(Communicator, OneProcessIsTheFirstAndOnlyRank) {
  EXPECT_EQ(alone().rank(), 0);
  EXPECT_EQ(alone().size(), 1);
  EXPECT_EQ(alone().on_host(), 1);
  EXPECT_TRUE(alone().is_root());
  expect_error(ErrorCode::kInternal, "no rank 1", [] { alone().receive(1); });
}

TEST(Communicator, SpreadGivesEveryItemToEveryRankInOrder) {
  for (const Index size : {1, 2, 3, 5}) {
    for (const Index count : {0, 1, 2, 7}) {
      std::atomic<Index> calls = 0;
      ThreadRanks(size).run([&](Communicator& ranks) {
        const std::vector<Vector> items = spread(ranks, count, 2, [&](Index i) {
          ++calls;
          return numbers_of_item(i);
        });
        ASSERT_EQ(std::ssize(items), count);
        for (Index i = 0; i < count; ++i)
          EXPECT_EQ(items[static_cast<std::size_t>(i)], numbers_of_item(i));
      });
      EXPECT_EQ(calls, count) << size << " ranks";
    }
  }
}

TEST(Communicator, SpreadExchangesMoreThanOneRound) {
  constexpr std::size_t kLong = 5'000'000;  // 40 MB an item, 64 MB a round
  ThreadRanks(2).run([&](Communicator& ranks) {
    const std::vector<Vector> items =
        spread(ranks, 5, 1, [&](Index i) { return Vector(kLong, static_cast<double>(i)); });
    for (std::size_t i = 0; i < items.size(); ++i) {
      ASSERT_EQ(items[i].size(), kLong);
      EXPECT_EQ(items[i].back(), static_cast<double>(i));
    }
  });
}

TEST(Communicator, FromRootRunsOnTheFirstRankOnly) {
  std::atomic<int> calls = 0;
  ThreadRanks(3).run([&](Communicator& ranks) {
    const Vector result = from_root(ranks, [&] {
      ++calls;
      EXPECT_TRUE(ranks.is_root());
      return Vector{1.5, -0.0};
    });
    EXPECT_EQ(result, (Vector{1.5, -0.0}));
  });
  EXPECT_EQ(calls, 1);
}

TEST(Communicator, FromRankTakesTheNumbersOfTheOwner) {
  ThreadRanks(3).run([](Communicator& ranks) {
    const Vector mine(2, static_cast<double>(ranks.rank()));
    EXPECT_EQ(from_rank(ranks, 2, mine), (Vector{2.0, 2.0}));
  });
}

TEST(Communicator, AnyOfIsTrueOnAllWhenOneSaysSo) {
  ThreadRanks(4).run([](Communicator& ranks) {
    EXPECT_TRUE(any_of(ranks, ranks.rank() == 3));
    EXPECT_FALSE(any_of(ranks, false));
  });
}

TEST(Communicator, AnErrorOfOneItemReachesTheCaller) {
  expect_error(ErrorCode::kUsage, "item 1", [] {
    spread(alone(), 3, 2, [](Index i) -> Vector {
      if (i == 1) throw Error(ErrorCode::kUsage, "item 1");
      return {};
    });
  });
}

}  // namespace
}  // namespace sextant
