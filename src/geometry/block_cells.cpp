// SPDX-License-Identifier: Apache-2.0
#include "geometry/block_cells.h"

#include <limits>

#include "base/check.h"

namespace sextant {

std::vector<std::uint32_t> renumbered(Index count, std::span<const Index> positions) {
  std::vector<std::uint32_t> result(static_cast<std::size_t>(count), kLeftOut);
  for (std::size_t k = 0; k < positions.size(); ++k)
    result[static_cast<std::size_t>(positions[k])] = static_cast<std::uint32_t>(k);
  return result;
}

BlockCells::BlockCells(const PositionalCounts& counts, std::span<const Index> positions) {
  const std::vector<std::uint32_t> row_of = renumbered(counts.options.positions, positions);
  for (const Index i : positions) {
    sequences_.push_back(counts.sequences_at[static_cast<std::size_t>(i)]);
    for (std::size_t b = 0; b < sequences_.back().size(); ++b)
      if (sequences_.back()[b] > 0) occupied_.set(b);
  }
  entries_.reserve(static_cast<std::size_t>(counts.blocks.cells()));
  Cell last = {.token = std::numeric_limits<TokenId>::max()};
  counts.blocks.for_each([&](const Cell& cell) {
    const std::uint32_t row = row_of[cell.position];
    if (row == kLeftOut) return;
    if (cell.token != last.token || position_.empty()) {
      if (!position_.empty()) token_start_.push_back(position_.size());
    }
    if (cell.token != last.token || cell.position != last.position || position_.empty()) {
      position_.push_back(row);
      entry_start_.push_back(entries_.size());
    }
    const auto count = static_cast<std::int64_t>(cell.count);
    entries_.push_back({cell.layer, count});
    entry_start_.back() = entries_.size();
    by_block_[cell.layer].push_back({static_cast<std::uint32_t>(token_start_.size() - 1),
                                     static_cast<std::uint32_t>(position_.size() - 1), count});
    last = cell;
  });
  if (!position_.empty()) token_start_.push_back(position_.size());
  if (position_.size() > std::numeric_limits<std::uint32_t>::max())
    fail(ErrorCode::kRefused, "counts", "{} cells are more than 2^32", position_.size());
}

std::int64_t BlockCells::sequences(Index i, const BlockSet& blocks) const {
  std::int64_t sum = 0;
  for (std::size_t b = 0; b < blocks.size(); ++b)
    if (blocks[b]) sum += sequences_[static_cast<std::size_t>(i)][b];
  return sum;
}

std::int64_t BlockCells::count(std::size_t cell, const BlockSet& blocks) const {
  std::int64_t sum = 0;
  for (std::size_t e = entry_start_[cell]; e < entry_start_[cell + 1]; ++e)
    if (blocks[entries_[e].block]) sum += entries_[e].count;
  return sum;
}

std::vector<std::int64_t> BlockCells::counts(const BlockSet& blocks) const {
  std::vector<std::int64_t> result(position_.size());
  for (std::size_t cell = 0; cell < result.size(); ++cell) result[cell] = count(cell, blocks);
  return result;
}

SparseColumns roots(const BlockCells& cells, const BlockSet& blocks,
                    std::span<const ThinnedRoot> root) {
  SparseColumns result;
  result.rows = cells.positions();
  for (Index token = 0; token < cells.tokens(); ++token) {
    for (std::size_t cell = cells.token_start(token); cell < cells.token_start(token + 1); ++cell) {
      const std::int64_t count = cells.count(cell, blocks);
      if (count == 0) continue;
      const Index i = cells.position(cell);
      result.row.push_back(static_cast<std::uint32_t>(i));
      result.value.push_back(root[static_cast<std::size_t>(i)](count));
    }
    result.starts.push_back(result.row.size());
  }
  return result;
}

}  // namespace sextant
