// SPDX-License-Identifier: Apache-2.0
// For calls that may never return, such as those into MPI when another machine stands still.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace sextant {

// Calls `late` once, in a thread of its own, unless it is destroyed within `limit`. Time in which
// this process did not run (stopped, suspended) does not count.
class TimeLimit {
 public:
  TimeLimit(std::chrono::duration<double> limit, std::function<void()> late);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  void run(std::chrono::duration<double> limit, const std::function<void()>& late);

  std::mutex mutex_;
  std::condition_variable is_changed_;
  bool is_over_ = false;  // under mutex_
  std::thread thread_;
};

}  // namespace sextant
