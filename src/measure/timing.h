// SPDX-License-Identifier: Apache-2.0
// Times of rivals that take turns, so that a slow moment of the machine hits all of them.
#pragma once

#include <algorithm>
#include <cassert>
#include <chrono>
#include <ctime>
#include <vector>

namespace sextant {

// Seconds since some moment.
using Clock = double (*)();

inline double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Processor time of this process: for work on one thread, on machines that others use too.
inline double cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Results in memory count as read, and what is there as changed: the compiler keeps what a rival
// writes, and does it again each time.
inline void keep_memory() { asm volatile("" ::: "memory"); }

// What one rival took, each time.
class Times {
 public:
  template <typename Work>
  double measure(const Work& work, Clock clock = wall_seconds) {
    const double start = clock();
    work();
    keep(clock() - start);
    return seconds_.back();
  }
  template <typename Work>
  double measure_cpu(const Work& work) {
    return measure(work, cpu_seconds);
  }
  void keep(double seconds) { seconds_.push_back(seconds); }

  // What it takes when nothing disturbs it. REQUIRES: measured once or more, as median() does.
  double shortest() const {
    assert(!seconds_.empty());
    return *std::ranges::min_element(seconds_);
  }
  // The lower of the two in the middle of an even number.
  double median() const {
    assert(!seconds_.empty());
    std::vector<double> sorted = seconds_;
    std::ranges::sort(sorted);
    return sorted[(sorted.size() - 1) / 2];
  }

 private:
  std::vector<double> seconds_;
};

}  // namespace sextant
