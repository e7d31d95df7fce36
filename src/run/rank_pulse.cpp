// SPDX-License-Identifier: Apache-2.0
#include "run/rank_pulse.h"

#include <algorithm>
#include <utility>

namespace sextant {

RankPulse::RankPulse(const std::vector<Index>& ranks, Clock::duration deadline,
                     Clock::time_point now)
    : deadline_(deadline), asked_(now) {
  for (const Index rank : ranks) members_.push_back({.rank = rank, .last = now});
}

const RankPulse::Member& RankPulse::member(Index rank) const {
  return *std::ranges::find(members_, rank, &Member::rank);
}

RankPulse::Member& RankPulse::member(Index rank) {
  return const_cast<Member&>(std::as_const(*this).member(rank));
}

void RankPulse::heard(Index rank, std::string_view stage, Clock::time_point now) {
  Member& one = member(rank);
  one.last = now;
  if (!stage.empty()) one.stage = stage;
}

void RankPulse::left(Index rank) { member(rank).is_gone = true; }

bool RankPulse::all_left() const { return std::ranges::all_of(members_, &Member::is_gone); }

std::optional<Index> RankPulse::lost(Clock::time_point now) {
  const Clock::duration gap = now - std::exchange(asked_, now);
  if (gap > deadline_ / 4) {
    for (Member& one : members_) one.last = std::min(now, one.last + gap);
    return {};
  }
  for (const Member& one : members_)
    if (!one.is_gone && now - one.last > deadline_) return one.rank;
  return {};
}

}  // namespace sextant
