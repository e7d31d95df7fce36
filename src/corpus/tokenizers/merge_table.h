// SPDX-License-Identifier: Apache-2.0
// Ranks of pairs, and the merging of a word in O(n log n).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "corpus/tokenizers/token_hash.h"
#include "sextant/corpus.h"

namespace sextant {

class MergeTable {
 public:
  struct Merge {
    std::uint32_t rank = 0;
    TokenId token = 0;
  };

  explicit MergeTable(std::size_t most);

  // The rank is the number of merges before. False when the pair is already there.
  bool add(TokenId left, TokenId right, TokenId merged);

  const Merge* find(TokenId left, TokenId right) const {
    const std::uint64_t wanted = pair(left, right);
    for (std::size_t at = place(wanted);; at = (at + 1) & mask_) {
      if (slots_[at].pair == wanted) return &slots_[at].merge;
      if (slots_[at].pair == kFree) return nullptr;
    }
  }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t pair = kFree;
    Merge merge = {};
  };
  static std::uint64_t pair(TokenId left, TokenId right) {
    return std::uint64_t{left} << 32 | right;
  }
  std::size_t place(std::uint64_t pair) const {
    return folded_product(pair ^ seed_, kHashOdd1) & mask_;
  }

  std::size_t mask_;
  std::vector<Slot> slots_;
  std::uint32_t used_ = 0;
  std::uint64_t seed_ = hash_seed();
};

// Merges in place the lowest rank first, of equal ranks the leftmost. Keeps its memory between
// words.
class Merger {
 public:
  explicit Merger(const MergeTable& table) : table_(table) {}
  void merge(std::vector<TokenId>& symbols);

 private:
  // Rank and place of a pair that may be gone by the time it comes up.
  struct Candidate {
    std::uint32_t rank, at;
    bool operator>(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };
  void merge_short(std::vector<TokenId>& symbols);
  void merge_long(std::vector<TokenId>& symbols);
  std::optional<Candidate> candidate(const std::vector<TokenId>& symbols, std::uint32_t at) const;

  const MergeTable& table_;
  std::vector<std::uint32_t> next_, previous_;
  std::vector<Candidate> queue_;
};

}  // namespace sextant
