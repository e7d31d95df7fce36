// SPDX-License-Identifier: Apache-2.0
// A file of counts whose cells are visited and never held: a long context has more of them than fit
// into memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "corpus/counts_file.h"
#include "io/input_file.h"

namespace sextant {

class CountsStream {
 public:
  // Reads the file once to its end. Throws as read_counts() does.
  explicit CountsStream(const std::filesystem::path& path);

  // All but cells, tokens and the sequences by block.
  const CountsFile& head() const { return head_; }
  const std::vector<std::int64_t>& sequences() const { return sequences_; }  // N by position

  // Every cell of the blocks once, in order. Reads the file again: throws kUnreadable where it has
  // changed, kMalformed where the change shows first.
  void for_each_cell(const std::function<void(const Cell&)>& visit) const;

 private:
  InputFile file_;
  CountsFile head_;
  std::vector<std::int64_t> sequences_;
  std::uint64_t cells_at_ = 0, cells_size_ = 0;
};

}  // namespace sextant
