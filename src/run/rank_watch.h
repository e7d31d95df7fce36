// SPDX-License-Identifier: Apache-2.0
// What the ranks of a job do beside their work. All functions are called by threads of their own.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <string_view>

#include "sextant/matrix.h"

namespace sextant {

struct RankWatch {
  std::chrono::duration<double> deadline = std::chrono::seconds(20);
  std::function<bool()> stopping = [] { return false; };  // this rank was asked to stop
  std::function<void()> stop = [] {};                     // another rank was
  // One line for the user; the job ends with kRankLost's status afterwards.
  std::function<void(std::string_view)> lost = [](std::string_view) {};
  std::size_t chunk = std::size_t{1} << 30;  // bytes that one call of MPI moves at most, below 2^31
};

// How long a rank waits before it says what others may say too: the first speaks first, and the
// launcher has time to end the others.
inline std::chrono::milliseconds turn_of(Index rank) {
  if (rank == 0) return {};
  return std::chrono::seconds(2) + std::chrono::milliseconds(500) * std::min<Index>(rank - 1, 8);
}
inline std::chrono::duration<double> deadline_of(const RankWatch& watch, Index rank) {
  return watch.deadline + turn_of(rank);
}

}  // namespace sextant
