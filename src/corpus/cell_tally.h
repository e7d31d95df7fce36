// SPDX-License-Identifier: Apache-2.0
// Whether the cells of a file keep what its totals promise: every sequence has one token at each of
// its positions, in its block and in each shuffle.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sextant/corpus.h"

namespace sextant {

class CellTally {
 public:
  static CellTally of_blocks(const PositionalCounts& totals);
  static CellTally of_shuffles(const PositionalCounts& totals);

  // Both throw kMalformed: for more tokens than sequences; for fewer.
  void add(const Cell& cell);
  void finish() const;

  std::optional<TokenId> last_token() const { return last_token_; }  // of the cells so far

 private:
  CellTally(Index positions, Index layers);

  Index layers_;
  std::vector<std::int64_t> left_;  // [positions, layers]
  std::optional<TokenId> last_token_;
};

}  // namespace sextant
