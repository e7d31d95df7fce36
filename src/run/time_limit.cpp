// SPDX-License-Identifier: Apache-2.0
#include "run/time_limit.h"

#include <algorithm>
#include <utility>

namespace sextant {
namespace {

using Clock = std::chrono::steady_clock;

// A look takes place this often; more time than twice that between two of them was not ours.
constexpr std::chrono::milliseconds kLook(100);

}  // namespace

TimeLimit::TimeLimit(std::chrono::duration<double> limit, std::function<void()> late)
    : thread_([this, limit, late = std::move(late)] { run(limit, late); }) {}

TimeLimit::~TimeLimit() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  is_changed_.notify_one();
  thread_.join();
}

void TimeLimit::run(std::chrono::duration<double> limit, const std::function<void()>& late) {
  std::unique_lock lock(mutex_);
  std::chrono::duration<double> waited(0);
  while (!is_over_) {
    if (waited >= limit) {
      lock.unlock();
      late();
      return;
    }
    const Clock::time_point before = Clock::now();
    is_changed_.wait_for(lock, std::min<std::chrono::duration<double>>(kLook, limit - waited));
    waited += std::min<Clock::duration>(Clock::now() - before, 2 * kLook);
  }
}

}  // namespace sextant
