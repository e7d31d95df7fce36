// SPDX-License-Identifier: Apache-2.0
// Times of rivals that take turns, so that a slow moment of the machine hits all of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>

// The shortest time of one rival, in seconds: what it takes when nothing disturbs it.
class ShortestTime {
 public:
  template <typename Work>
  double measure(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    return keep(time.count());
  }
  // Processor time: for work on one thread, on machines that others use too.
  template <typename Work>
  double measure_cpu(const Work& work) {
    const std::clock_t start = std::clock();
    work();
    return keep(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  double seconds() const { return shortest_; }

 private:
  double keep(double seconds) {
    shortest_ = std::min(shortest_, seconds);
    return seconds;
  }

  double shortest_ = std::numeric_limits<double>::infinity();
};
