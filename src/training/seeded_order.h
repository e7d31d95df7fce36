// SPDX-License-Identifier: Apache-2.0
// An order of 0, ..., size - 1 for each seed, one place at a time: a large set is never written
// down to take a few of it.
#pragma once

#include <cstdint>

#include "base/hash.h"
#include "sextant/matrix.h"

namespace sextant {

// What stands at `place` of the order. A Feistel network permutes a power of four above the size;
// what falls beyond the size goes through it again until it does not. REQUIRES: 0 <= place < size
// <= 2^62.
inline Index at_place(std::uint64_t seed, Index place, Index size) {
  unsigned bits = 1;
  while ((Index{1} << (2 * bits)) < size) ++bits;
  const std::uint64_t half = (std::uint64_t{1} << bits) - 1;
  auto value = static_cast<std::uint64_t>(place);
  do {
    for (std::uint64_t round = 0; round < 4; ++round) {
      const std::uint64_t left = value >> bits, right = value & half;
      value = right << bits | (left ^ (mixed(mixed(seed, round), right) & half));
    }
  } while (value >= static_cast<std::uint64_t>(size));
  return static_cast<Index>(value);
}

}  // namespace sextant
