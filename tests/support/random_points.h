// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/rng.h"
#include "sextant/matrix.h"

namespace sextant {

// Rows drawn from the standard normal law.
inline Matrix random_points(Index n, Index dim, std::uint64_t seed) {
  constexpr std::uint64_t kStream = 3;
  const Rng rng(seed, kStream);
  Matrix points(n, dim);
  for (std::size_t i = 0; i < points.values().size(); ++i) points.values()[i] = rng.normal(i);
  return points;
}

}  // namespace sextant
