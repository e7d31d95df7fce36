// SPDX-License-Identifier: Apache-2.0
#include "geometry/pair_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sextant {
namespace {

constexpr Index kMostBlocks = 128;
// At least, on average. Pairs of close positions are few and differ much: of fewer draws the error
// that is stated would often be too small.
constexpr Index kPairsPerStratum = 32;

}  // namespace

PairPlan plan_pairs(Index rows, Index most) {
  PairPlan plan{.blocks = std::clamp<Index>(rows, 1, kMostBlocks),
                .pairs = rows * (rows - 1) / 2,
                .most = most};
  while (plan.sampled() && plan.blocks > 1 &&
         plan.blocks * (plan.blocks + 1) / 2 * kPairsPerStratum > most)
    --plan.blocks;
  return plan;
}

std::vector<Stratum> strata_of(const PositionRows& rows) {
  std::vector<Stratum> strata;
  for (Index a = 0; a < rows.blocks(); ++a)
    for (Index b = a; b < rows.blocks(); ++b)
      strata.push_back({a, b, rows.block_start(a), rows.block_start(a + 1), rows.block_start(b),
                        rows.block_start(b + 1)});
  return strata;
}

Index draws_of(const Stratum& stratum, const PairPlan& plan) {
  if (!plan.sampled() || stratum.pairs() == 0) return stratum.pairs();
  const double share = static_cast<double>(stratum.pairs()) / static_cast<double>(plan.pairs);
  return std::max<Index>(2, std::llround(share * static_cast<double>(plan.most)));
}

std::vector<PositionPair> drawn_pairs(const Stratum& stratum, Index draws, const Rng& rng) {
  std::vector<PositionPair> pairs;
  pairs.reserve(static_cast<std::size_t>(draws));
  const Index width = stratum.diagonal() ? stratum.rows_a() - 1 : stratum.rows_b();
  const double places = static_cast<double>(stratum.rows_a() * width);
  for (Index k = 0; k < draws; ++k) {
    const auto place = static_cast<Index>(rng.uniform(static_cast<std::uint64_t>(k)) * places);
    Index i = place / width, j = place % width;
    if (stratum.diagonal() && j >= i) ++j;
    if (stratum.diagonal() && j < i) std::swap(i, j);
    pairs.push_back({stratum.first_a + i, stratum.first_b + j});
  }
  std::ranges::sort(pairs);
  return pairs;
}

}  // namespace sextant
