// SPDX-License-Identifier: Apache-2.0
#include "corpus/cell_tally.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "corpus/positional_counts.h"

namespace sextant {
namespace {

[[noreturn]] void fail_tally(const char* which, std::size_t place, Index layers) {
  const auto layer_count = static_cast<std::size_t>(layers);
  fail(ErrorCode::kMalformed, "packed counts", "{} tokens than sequences at position {}, layer {}",
       which, place / layer_count, place % layer_count);
}

}  // namespace

CellTally::CellTally(Index positions, Index layers)
    : layers_(layers), left_(static_cast<std::size_t>(positions * layers)) {}

CellTally CellTally::of_blocks(const PositionalCounts& totals) {
  CellTally tally(totals.options.positions, kBlocks);
  auto place = tally.left_.begin();
  for (const auto& blocks : totals.sequences_at) place = std::ranges::copy(blocks, place).out;
  return tally;
}

CellTally CellTally::of_shuffles(const PositionalCounts& totals) {
  const Index shuffles = totals.options.shuffles;
  CellTally tally(totals.options.positions, std::max<Index>(shuffles, 1));
  if (shuffles == 0) return tally;
  auto place = tally.left_.begin();
  for (const std::int64_t sequences : sequences_by_position(totals))
    place = std::fill_n(place, shuffles, sequences);
  return tally;
}

void CellTally::add(const Cell& cell) {
  const std::size_t place = cell.position * static_cast<std::size_t>(layers_) + cell.layer;
  if (cell.count > static_cast<std::uint64_t>(left_[place])) fail_tally("more", place, layers_);
  left_[place] -= static_cast<std::int64_t>(cell.count);
  last_token_ = cell.token;
}

void CellTally::finish() const {
  const auto place = std::ranges::find_if(left_, [](std::int64_t left) { return left != 0; });
  if (place != left_.end())
    fail_tally("fewer", static_cast<std::size_t>(std::distance(left_.begin(), place)), layers_);
}

}  // namespace sextant
