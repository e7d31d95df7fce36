// SPDX-License-Identifier: Apache-2.0
// Words and their ids in an open table; the bytes lie one after the other in blocks that stay where
// they are. A growing vocabulary inserts often: no allocation for each word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sextant/corpus.h"

namespace sextant {

class WordTable {
 public:
  std::optional<TokenId> find(std::string_view word, std::uint32_t hash) const {
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Entry& entry = entries_[at];
      if (entry.word.data() == nullptr) return std::nullopt;
      if (entry.hash == hash && entry.word == word) return entry.id;
    }
  }

  // A copy of the word that lives as long as the table.
  std::string_view keep(std::string_view word) {
    if (word.size() >= left_) {
      left_ = std::max(kBlock, word.size() + 1);
      blocks_.push_back(std::make_unique<char[]>(left_));
      next_ = blocks_.back().get();
    }
    if (!word.empty()) std::memcpy(next_, word.data(), word.size());
    const std::string_view kept(next_, word.size());
    next_ += word.size();
    left_ -= word.size();
    return kept;
  }

  // REQUIRES: the word is not here yet; its bytes come from keep().
  void insert(std::string_view word, std::uint32_t hash, TokenId id) {
    if (2 * ++size_ > entries_.size()) {
      std::vector<Entry> old(2 * entries_.size());
      old.swap(entries_);
      for (const Entry& entry : old)
        if (entry.word.data() != nullptr) put(entry);
    }
    put({.word = word, .hash = hash, .id = id});
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 14;

  struct Entry {
    std::string_view word = {};  // without data: nothing is here
    std::uint32_t hash = 0;
    TokenId id = 0;
  };

  std::size_t mask() const { return entries_.size() - 1; }

  void put(const Entry& entry) {
    std::size_t at = entry.hash & mask();
    while (entries_[at].word.data() != nullptr) at = (at + 1) & mask();
    entries_[at] = entry;
  }

  std::vector<Entry> entries_ = std::vector<Entry>(64);  // a power of two, at most half full
  std::size_t size_ = 0;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  std::size_t left_ = 0;  // bytes of the last block from next_ on
};

}  // namespace sextant
