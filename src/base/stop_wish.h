// SPDX-License-Identifier: Apache-2.0
// Signals as wishes to stop: the first asks for it, the next means at once. One key press or one
// `timeout` may send several signals, to the program and to its group; they are one wish.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

namespace sextant {

class StopWish {
 public:
  // For handlers of signals: nothing but lock-free atomics and clock_gettime. Returns whether this
  // is a second wish, a second or more after the first.
  bool again() {
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const std::int64_t time = now.tv_sec * kSecond + now.tv_nsec;
    std::int64_t first = kNever;
    const bool is_first = first_.compare_exchange_strong(first, time);
    asked_ = true;
    return !is_first && time - first >= kSecond;
  }

  const std::atomic<bool>& asked() const { return asked_; }

 private:
  static constexpr std::int64_t kSecond = 1'000'000'000, kNever = -1;
  static_assert(std::atomic<bool>::is_always_lock_free);
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);

  std::atomic<bool> asked_ = false;
  std::atomic<std::int64_t> first_ = kNever;
};

}  // namespace sextant
