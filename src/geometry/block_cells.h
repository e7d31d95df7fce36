// SPDX-License-Identifier: Apache-2.0
// The counts of a corpus laid out for splitting: every (token, position) cell with its counts by
// block, so that the counts of any set of blocks are sums over short lists.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "geometry/amplitude.h"
#include "math/gram.h"
#include "sextant/corpus.h"

namespace sextant {

using BlockSet = std::bitset<static_cast<std::size_t>(kBlocks)>;

// The new number of each old position, kLeftOut for those that are not among `positions`.
inline constexpr std::uint32_t kLeftOut = std::numeric_limits<std::uint32_t>::max();
std::vector<std::uint32_t> renumbered(Index count, std::span<const Index> positions);

class BlockCells {
 public:
  // Only the given positions, renumbered 0, 1, ...
  BlockCells(const PositionalCounts& counts, std::span<const Index> positions);

  // What these take for so many cells (token, position, block), of which `counts` has as many at
  // most.
  static double bytes(double cells) { return 48.0 * cells; }

  Index positions() const { return static_cast<Index>(sequences_.size()); }
  Index tokens() const { return static_cast<Index>(token_start_.size()) - 1; }
  Index cells() const { return static_cast<Index>(position_.size()); }

  // Blocks with at least one sequence somewhere.
  const BlockSet& occupied() const { return occupied_; }
  // Sequences that count at position i, over a set of blocks.
  std::int64_t sequences(Index i, const BlockSet& blocks) const;

  std::size_t token_start(Index token) const {
    return token_start_[static_cast<std::size_t>(token)];
  }
  Index position(std::size_t cell) const { return position_[cell]; }
  std::int64_t count(std::size_t cell, const BlockSet& blocks) const;
  std::vector<std::int64_t> counts(const BlockSet& blocks) const;  // of every cell

  // The cells in which one block has a count, in order, and the token of each.
  struct BlockEntry {
    std::uint32_t token;
    std::uint32_t cell;
    std::int64_t count;
  };
  std::span<const BlockEntry> entries_of(Index block) const {
    return by_block_[static_cast<std::size_t>(block)];
  }

 private:
  struct Entry {
    std::uint32_t block;
    std::int64_t count;
  };
  std::vector<std::array<std::int64_t, static_cast<std::size_t>(kBlocks)>> sequences_;
  std::vector<std::size_t> token_start_ = {0};
  std::vector<std::uint32_t> position_;
  std::vector<std::size_t> entry_start_ = {0};
  std::vector<Entry> entries_;
  std::array<std::vector<BlockEntry>, static_cast<std::size_t>(kBlocks)> by_block_;
  BlockSet occupied_;
};

// Roots of the counts of a set of blocks: value = root_i(count), not divided by anything. Cells
// that are empty in these blocks are left out.
SparseColumns roots(const BlockCells& cells, const BlockSet& blocks,
                    std::span<const ThinnedRoot> root);

}  // namespace sextant
