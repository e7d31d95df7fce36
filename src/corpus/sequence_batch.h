// SPDX-License-Identifier: Apache-2.0
// Sequences that are counted together, token by token.
//
// Counting one sequence after the other touches the counters of another token at each step, and
// nearly each touch waits for memory. A batch is grouped by token once; then each token's counters
// are visited once for all of its occurrences, in the real order and in the shuffled ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sextant/corpus.h"

namespace sextant {

class SequenceBatch {
 public:
  // `fixed` tokens at the start stay where they are when the next `movable` are shuffled; so does
  // what follows these. `key` decides the permutations.
  struct Sequence {
    std::size_t size = 0, fixed = 0, movable = 0;
    std::uint32_t block = 0;
    std::uint64_t key = 0;
  };

  void add(std::span<const TokenId> tokens, const Sequence& sequence);
  bool full() const { return tokens_.size() >= kMostTokens; }

  // Adds all sequences to `blocks`, `shuffles` permutations of each to `shuffled`. The batch is
  // empty afterwards.
  void count(CellCounts& blocks, CellCounts& shuffled, Index shuffles, std::uint64_t seed);

  std::uint64_t bytes() const;  // of memory

 private:
  static constexpr std::size_t kMostTokens = std::size_t{1} << 17;
  static constexpr std::size_t kMostPlaces = std::size_t{1} << 20;  // unless one layer has more

  // All occurrences of a token have the ranks from `first` up to `last`.
  struct Run {
    TokenId token = 0;
    std::uint32_t first = 0, last = 0;
  };

  void rank_tokens();
  // Permutes all sequences for one shuffle and writes where each rank stands then.
  void shuffle(const CellCounts& shuffled, std::uint32_t number, std::uint64_t seed,
               std::span<std::uint32_t> places);

  // Adds the first `layers` layers of places_.
  void add_runs(CellCounts& cells, std::size_t layers) const;

  std::vector<Sequence> sequences_;
  std::vector<TokenId> tokens_;
  std::vector<std::uint32_t> ranks_;   // of tokens_, one for each; a shuffle permutes them
  std::vector<std::uint32_t> starts_;  // by token; 0 between two calls of rank_tokens()
  std::vector<Run> runs_;
  std::vector<std::uint32_t> places_;  // by rank, for one layer after the other
};

}  // namespace sextant
