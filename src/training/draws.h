// SPDX-License-Identifier: Apache-2.0
// Random numbers of one sequence of a batch, in the order in which they are asked for. They depend
// on the seed, the number of the batch and the place in it only.
#pragma once

#include <cstdint>
#include <span>

#include "base/rng.h"
#include "sextant/matrix.h"

namespace sextant {

class Draws {
 public:
  // At most 2^32 numbers for each sequence.
  Draws(std::uint64_t seed, std::uint64_t number, Index sequence)
      : rng_(seed, number), counter_(static_cast<std::uint64_t>(sequence) << 32U) {}

  double uniform() { return rng_.uniform(counter_++); }
  bool happens(double probability) { return uniform() < probability; }

  // Uniform on 0, ..., n - 1. REQUIRES: 0 < n <= 2^53.
  Index below(Index n) { return static_cast<Index>(uniform() * static_cast<double>(n)); }
  std::int32_t token(Index kinds) { return static_cast<std::int32_t>(below(kinds)); }
  void fill(Index kinds, std::span<std::int32_t> tokens) {
    for (std::int32_t& t : tokens) t = token(kinds);
  }

 private:
  Rng rng_;
  std::uint64_t counter_;
};

}  // namespace sextant
