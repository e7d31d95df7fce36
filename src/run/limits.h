// SPDX-License-Identifier: Apache-2.0
// Sizes that a user may ask for: more than anybody needs, and small enough that nothing computed
// from them overflows.
#pragma once

#include <limits>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "base/parallel.h"  // kMostThreads
#include "sextant/matrix.h"

namespace sextant {

inline constexpr Index kLargest = std::numeric_limits<Index>::max();
inline constexpr Index kMostDim = 65536;  // wider than any model
inline constexpr Index kMostHeads = 65536;
inline constexpr Index kMostPositions = Index{1} << 20;  // of a corpus
inline constexpr Index kMostSplits = 10000;
inline constexpr Index kMostShuffles = 255;

// Throws kUsage, naming `where`, for a value that is given and not in [min, max].
inline void require_range(std::string_view where, std::optional<Index> value, Index min,
                          Index max) {
  require(!value || (*value >= min && *value <= max), where, "must be {} to {} but got {}", min,
          max, value.value_or(0));
}

}  // namespace sextant
