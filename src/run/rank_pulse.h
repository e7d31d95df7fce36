// SPDX-License-Identifier: Apache-2.0
// Which of the ranks that must show signs of life has not for too long. Time in which this process
// itself did not run (stopped, suspended, swapped out) counts against nobody.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

class RankPulse {
 public:
  using Clock = std::chrono::steady_clock;

  RankPulse(const std::vector<Index>& ranks, Clock::duration deadline, Clock::time_point now);

  // A sign of life and what the rank was doing then.
  void heard(Index rank, std::string_view stage, Clock::time_point now);
  // The rank said that it is done: nothing is expected of it.
  void left(Index rank);
  bool all_left() const;

  // The first rank that is silent for longer than the deadline. Call it often: a gap between two
  // calls of more than a quarter of the deadline is our own and is forgiven.
  std::optional<Index> lost(Clock::time_point now);
  const std::string& stage(Index rank) const { return member(rank).stage; }

 private:
  struct Member {
    Index rank = 0;
    Clock::time_point last = {};
    std::string stage = "starting";
    bool is_gone = false;
  };
  const Member& member(Index rank) const;
  Member& member(Index rank);

  std::vector<Member> members_;
  Clock::duration deadline_;
  Clock::time_point asked_;
};

}  // namespace sextant
