// SPDX-License-Identifier: Apache-2.0
// sqrt P by positions, for contexts that are too long for a matrix of all pairs: each rank of a job
// holds consecutive rows, about as many entries as the others.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/communicator.h"
#include "geometry/packed_rows.h"
#include "math/gram.h"
#include "sextant/corpus.h"

namespace sextant {

// Visits every cell of a corpus in order of (token, position, block), as often as it is called.
using CellVisit = std::function<void(const Cell&)>;
using CellSource = std::function<void(const CellVisit&)>;

// Positions without a sequence have no law and no row. Tokens are those that occur, from 0 in the
// order of their ids. Entry (i, v) of S is sqrt(c_iv / N_i).
class PositionRows {
 public:
  // `sequences` has N of every position. Rows are dealt to the ranks in `blocks` blocks of equal
  // length (fewer where there are fewer rows). Throws kMalformed when the counts of a position do
  // not add up to N, and when no position has a sequence; kUnreadable when a second pass over the
  // cells does not show those of the first. `fits` is called with the bytes of the own rows before
  // they are taken.
  PositionRows(
      const CellSource& cells, std::span<const std::int64_t> sequences, Index blocks,
      const Communicator& ranks, const std::function<void(double)>& fits = [](double) {});

  // Of all ranks.
  Index rows() const { return static_cast<Index>(positions_.size()); }
  Index length() const { return length_; }  // positions of the corpus, also those without a row
  Index tokens() const { return tokens_; }
  std::int64_t entries() const { return entries_; }
  std::span<const Index> positions() const { return positions_; }  // of the rows
  std::span<const double> sequences() const { return sequences_; }
  double weight(Index row) const { return weights_[static_cast<std::size_t>(row)]; }  // 1/sqrt N
  Index blocks() const { return static_cast<Index>(block_starts_.size()) - 1; }
  Index block_start(Index block) const { return block_starts_[static_cast<std::size_t>(block)]; }
  std::uint64_t block_entries(Index block) const {
    return block_entries_[static_cast<std::size_t>(block)];
  }
  double most_packed_bytes() const { return most_packed_; }  // of the rows of one rank
  Index first_row(Index rank) const { return rank_starts_[static_cast<std::size_t>(rank)]; }

  // Of this rank.
  const PackedRows& own() const { return own_; }
  std::int64_t own_entries() const { return own_entries_; }

 private:
  Index length_ = 0, tokens_ = 0;
  std::int64_t entries_ = 0, own_entries_ = 0;
  double most_packed_ = 0.0;
  std::vector<Index> positions_, block_starts_, rank_starts_;
  std::vector<std::uint64_t> block_entries_;
  Vector sequences_, weights_;
  PackedRows own_;
};

// The columns of S whose token is `part` modulo `parts`, over all rows.
SparseColumns columns_of_part(const CellSource& cells, const PositionRows& rows, Index part,
                              Index parts);

}  // namespace sextant
