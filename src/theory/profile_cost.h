// SPDX-License-Identifier: Apache-2.0
// What a profile takes, known before anything is computed.
#pragma once

#include <string_view>

#include "sextant/encoding.h"

namespace sextant {

struct ProfileCost {
  double bytes = 0.0;
  double work = 0.0;  // multiplications and additions
};

// Of an encoding that acts at `sites`, trained at `train` positions. `dense`: its operators are
// only known as matrices.
ProfileCost profile_cost(const Sites& sites, const Extent& extent, Index train, bool dense);

// Throws kRefused, naming what to lower, where the work is above kMostProfileWork or where
// `at_once` such profiles do not fit into memory.
void refuse_beyond_means(std::string_view encoding, const ProfileCost& cost, const Extent& extent,
                         Index at_once);

}  // namespace sextant
