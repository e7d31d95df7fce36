// SPDX-License-Identifier: Apache-2.0
// Times of rivals that take turns, so that a slow moment of the machine hits all of them.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

// The shortest time of one rival, in seconds: what it takes when nothing disturbs it.
class ShortestTime {
 public:
  template <typename Work>
  double measure(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    shortest_ = std::min(shortest_, time.count());
    return time.count();
  }
  double seconds() const { return shortest_; }

 private:
  double shortest_ = std::numeric_limits<double>::infinity();
};
