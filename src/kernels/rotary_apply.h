// SPDX-License-Identifier: Apache-2.0
// The loops behind apply_to_queries and apply_to_keys.
#pragma once

#include "kernels/rotary_turns.h"

namespace sextant {

// One call: what is turned, and how. Checked.
struct TurnJob {
  const TurnsAccess::Values& values;
  const HeadsView& in;
  const HeadsView& out;
  Side side = Side::kQuery;
  bool backward = false;

  bool in_place() const { return in.data == out.data; }
};

// What the vectors leave: chains in double, and coordinates that do not move where `out` is not
// `in`.
void apply_chains(const TurnJob& job, Index first, Index last);
void copy_still(const TurnJob& job, Index first, Index last);

}  // namespace sextant
