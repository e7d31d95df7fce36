// SPDX-License-Identifier: Apache-2.0
#include "run/time_limit.h"

#include <gtest/gtest.h>

#include <atomic>

namespace sextant {
namespace {

using namespace std::chrono_literals;

TEST(TimeLimit, CallsOnceAfterTheLimit) {
  std::atomic<int> calls = 0;
  const auto start = std::chrono::steady_clock::now();
  const TimeLimit limit(300ms, [&calls] { ++calls; });
  while (calls == 0 && std::chrono::steady_clock::now() - start < 30s)
    std::this_thread::sleep_for(5ms);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 300ms);
  std::this_thread::sleep_for(400ms);
  EXPECT_EQ(calls, 1);
}

TEST(TimeLimit, CallsNothingWhenItGoesBefore) {
  std::atomic<int> calls = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 20; ++i) const TimeLimit limit(60s, [&calls] { ++calls; });
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);  // none is waited for
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace sextant
