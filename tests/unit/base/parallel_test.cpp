// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/expect_error.h"

namespace sextant {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnceForAnyNumberOfThreads) {
  for (const Index threads : {-1, 0, 1, 2, 3, 7, 64}) {
    for (const Index count : {1, 2, 5, 31}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
      parallel_for(count, threads, [&](Index first, Index last) {
        for (Index i = first; i < last; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      for (const auto& visit : visits) EXPECT_EQ(visit, 1) << count << " on " << threads;
    }
  }
}

TEST(ParallelFor, StartsNoMoreThanTheMostThreads) {
  std::atomic<Index> pieces = 0;
  parallel_for(kMostThreads + 100, std::numeric_limits<Index>::max(),
               [&](Index, Index) { ++pieces; });
  EXPECT_EQ(pieces, kMostThreads);
}

TEST(CheckThreads, NamesANumberThatIsNotOneToTheMost) {
  check_threads(1);
  check_threads(kMostThreads);
  for (const Index threads : {Index{-1}, Index{0}, kMostThreads + 1})
    expect_error(ErrorCode::kUsage, fmt::format("threads: must be 1 to 4096 but got {}", threads),
                 [&] { check_threads(threads); });
}

TEST(ParallelFor, DoesNothingForAnEmptyRange) {
  parallel_for(0, 4, [](Index, Index) { FAIL(); });
}

TEST(ParallelFor, ThrowsTheFailureOfTheFirstPiece) {
  try {
    parallel_for(8, 4, [](Index first, Index) { throw std::runtime_error(std::to_string(first)); });
    FAIL() << "expected an exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "0");
  }
}

TEST(ParallelFor, RunsTheOtherPiecesWhenOneFails) {
  std::atomic<int> ran = 0;
  EXPECT_THROW(parallel_for(4, 4,
                            [&](Index first, Index) {
                              ++ran;
                              if (first == 2) throw std::runtime_error("two");
                            }),
               std::runtime_error);
  EXPECT_EQ(ran, 4);
}

}  // namespace
}  // namespace sextant
