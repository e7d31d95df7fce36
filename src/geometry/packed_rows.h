// SPDX-License-Identifier: Apache-2.0
// Rows of counts in two to three bytes an entry: long contexts have hundreds of millions of them.
// An entry is a cell whose key is its token (corpus/packed_cells.h).
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sextant/corpus.h"
#include "sextant/matrix.h"

namespace sextant {

// Consecutive rows, from row `first` on; row k of them is packed[starts[k] .. starts[k + 1]].
struct PackedRows {
  Index first = 0;
  std::vector<std::uint64_t> starts = {0};
  std::vector<std::byte> packed;

  Index rows() const { return static_cast<Index>(starts.size()) - 1; }
  Index last() const { return first + rows(); }
  std::span<const std::byte> row(Index i) const {  // first <= i < last
    const auto k = static_cast<std::size_t>(i - first);
    return std::span(packed).subspan(starts[k], starts[k + 1] - starts[k]);
  }
};

// The rows as a message, and back.
std::vector<std::byte> bytes_of_rows(const PackedRows& rows);
PackedRows rows_of_bytes(std::span<const std::byte> bytes);

// Square roots of counts; small ones are looked up.
class CountRoots {
 public:
  CountRoots() {
    for (std::size_t count = 0; count < small_.size(); ++count)
      small_[count] = std::sqrt(static_cast<double>(count));
  }
  double operator()(std::uint64_t count) const {
    return count < small_.size() ? small_[count] : std::sqrt(static_cast<double>(count));
  }

 private:
  std::array<double, 1024> small_;
};

// Calls use(token, root of the count) for each entry, tokens rising. Rows come from us: no checks.
template <typename Use>
void for_each_in_row(std::span<const std::byte> row, const CountRoots& root, Use&& use) {
  PackedCursor entry(row);
  while (entry.next()) use(static_cast<std::size_t>(entry.key), root(entry.count));
}

}  // namespace sextant
