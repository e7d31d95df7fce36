// SPDX-License-Identifier: Apache-2.0
// Packed cells of a file that may hold anything, piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "corpus/packed_cells.h"
#include "sextant/corpus.h"

namespace sextant {

[[noreturn]] void fail_packed(const char* what);  // kMalformed

// The varint at `at`, which moves behind it. Throws kMalformed unless it is whole, of 64 bits at
// most and as short as can be.
std::uint64_t checked_varint(std::span<const std::byte> packed, std::size_t& at);

class CellDecoder {
 public:
  CellDecoder(Index positions, Index layers)
      : positions_(positions), layers_(layers), keys_(positions, layers) {}

  // Calls visit(cell) for the next cells, in order, and returns how many bytes they take. Unless
  // these are the last bytes, up to kMostCellBytes of them may be left: they come again, first.
  // Throws kMalformed for what no packer writes.
  template <typename Visit>
  std::size_t decode(std::span<const std::byte> packed, bool last, Visit&& visit) {
    const std::uint64_t most_key = keys_.key(CellCounts::kMostTokens, 0) - 1;
    std::size_t at = 0;
    while (last ? at < packed.size() : packed.size() - at >= kMostCellBytes) {
      if (key_ == most_key) fail_packed("a token is out of range");
      const std::uint64_t head = checked_varint(packed, at), step = head >> 1;
      if (step > most_key - (key_ + 1)) fail_packed("a token is out of range");
      key_ += step + 1;
      const std::uint64_t more = (head & 1) != 0 ? checked_varint(packed, at) : 0;
      if (more > std::numeric_limits<std::int64_t>::max()) fail_packed("a count is too large");
      const Cell cell = keys_.cell(key_, (head & 1) != 0 ? more + 2 : 1);
      if (cell.position >= positions_ || cell.layer >= layers_)
        fail_packed("a cell is out of range");
      ++cells_;
      visit(cell);
    }
    return at;
  }
  Index cells() const { return cells_; }  // so far

 private:
  Index positions_, layers_;
  CellKeys keys_;
  std::uint64_t key_ = ~std::uint64_t{0};
  Index cells_ = 0;
};

}  // namespace sextant
