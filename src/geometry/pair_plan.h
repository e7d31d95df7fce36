// SPDX-License-Identifier: Apache-2.0
// Which pairs of positions are compared: all of them in tiles, or a sample of each tile.
#pragma once

#include <vector>

#include "base/rng.h"
#include "geometry/position_rows.h"

namespace sextant {

// How the pairs of n positions are gone through, a matter of n and of `most` alone: in tiles, a
// tile being two blocks of rows. With more than `most` pairs each tile is a stratum, from which
// pairs are drawn with replacement, as many as its share of all pairs: 32 on average, and at least
// two.
struct PairPlan {
  Index blocks = 1;
  Index pairs = 0;  // n (n - 1) / 2
  Index most = 0;
  bool sampled() const { return pairs > most; }
};
PairPlan plan_pairs(Index rows, Index most);

struct PositionPair {
  Index i = 0, j = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes a defaulted <=> for a pointer
  auto operator<=>(const PositionPair&) const = default;
};

// Two blocks of rows, the first not behind the second.
struct Stratum {
  Index a_block, b_block;
  Index first_a, last_a, first_b, last_b;

  bool diagonal() const { return a_block == b_block; }
  Index rows_a() const { return last_a - first_a; }
  Index rows_b() const { return last_b - first_b; }
  Index pairs() const { return diagonal() ? rows_a() * (rows_a() - 1) / 2 : rows_a() * rows_b(); }
};

std::vector<Stratum> strata_of(const PositionRows& rows);
// Pairs of a stratum that the plan compares, with repetitions.
Index draws_of(const Stratum& stratum, const PairPlan& plan);
// Pairs drawn uniformly with replacement, in order.
std::vector<PositionPair> drawn_pairs(const Stratum& stratum, Index draws, const Rng& rng);

}  // namespace sextant
