// SPDX-License-Identifier: Apache-2.0
// The ids of words that a session met lately. English repeats itself: nine words of ten are here,
// and a hit costs one line of memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/tokenizers/ascii_runs.h"
#include "corpus/tokenizers/token_hash.h"
#include "sextant/corpus.h"

namespace sextant {

// A word of at most 16 bytes, padded with zeros.
struct ShortWord {
  static constexpr std::size_t kMostBytes = 16;

  // The first `size` bytes of `text`, which may be longer. REQUIRES: size <= kMostBytes.
  static ShortWord from(std::string_view text, std::size_t size) {
    ShortWord word;
    word.size = size;
    if (text.size() >= kMostBytes) {
      std::memcpy(&word.low, text.data(), 8);
      std::memcpy(&word.high, text.data() + 8, 8);
      word.low &= size < 8 ? (std::uint64_t{1} << (8 * size)) - 1 : ~std::uint64_t{0};
      word.high &= size < 8    ? 0
                   : size < 16 ? (std::uint64_t{1} << (8 * (size - 8))) - 1
                               : ~std::uint64_t{0};
    } else {
      std::array<char, kMostBytes> bytes = {};
      std::memcpy(bytes.data(), text.data(), size);
      std::memcpy(&word.low, bytes.data(), 8);
      std::memcpy(&word.high, bytes.data() + 8, 8);
    }
    return word;
  }

  // Lower case. REQUIRES: ASCII.
  ShortWord lowered() const { return {ascii_lowered(low), ascii_lowered(high), size}; }

  // The bytes, in `buffer`.
  std::string_view bytes(std::array<char, kMostBytes>& buffer) const {
    std::memcpy(buffer.data(), &low, 8);
    std::memcpy(buffer.data() + 8, &high, 8);
    return {buffer.data(), size};
  }

  std::uint64_t low = 0, high = 0;
  std::size_t size = 0;
};

// Sets of two in one line; the newest word of a set stands first and the oldest falls out. 4 MiB,
// of which the frequent words keep a few lines hot.
class WordCache {
 public:
  static constexpr std::size_t kSets = std::size_t{1} << 16;

  // REQUIRES: `sets` is a power of two.
  explicit WordCache(std::size_t sets = kSets) : sets_(sets), mask_(sets - 1), seed_(hash_seed()) {}

  // Appends the ids of a known word, or returns false.
  bool append(const ShortWord& word, std::vector<TokenId>& ids) const {
    return append(word, place(word), ids);
  }
  // Words of more ids than fit are left out.
  void insert(const ShortWord& word, std::span<const TokenId> ids) {
    insert(word, place(word), ids);
  }

  // Words can wait here for a while, so that their lines are loaded when they are looked up.
  // REQUIRES: !full().
  void push(const ShortWord& word) {
    const std::size_t at = place(word);
    __builtin_prefetch(&sets_[at]);
    waiting_[size_++] = {.word = word, .place = at};
  }
  bool full() const { return size_ == waiting_.size(); }

  // Appends the ids of the words that wait, in order, until there are `most` ids or more; then none
  // wait any longer. `append_new(bytes)` has to append the ids of a word that is not known.
  template <typename AppendNew>
  void append_waiting(std::size_t most, std::vector<TokenId>& ids, const AppendNew& append_new) {
    const std::size_t size = std::exchange(size_, 0);
    for (std::size_t i = 0; i < size && ids.size() < most; ++i) {
      const Waiting& next = waiting_[i];
      if (append(next.word, next.place, ids)) continue;
      std::array<char, ShortWord::kMostBytes> buffer = {};
      const std::size_t before = ids.size();
      append_new(next.word.bytes(buffer));
      insert(next.word, next.place, std::span(ids).subspan(before));
    }
  }

 private:
  static constexpr std::size_t kMostIds = 3;
  struct Entry {
    std::uint64_t low = 0, high = 0;
    std::array<TokenId, kMostIds> ids = {};
    std::uint8_t size = 0;  // 0: empty; no word has no bytes
    std::uint8_t count = 0;
  };
  struct alignas(64) Set {
    std::array<Entry, 2> entries;
  };

  struct Waiting {
    ShortWord word;
    std::size_t place = 0;
  };

  bool append(const ShortWord& word, std::size_t place, std::vector<TokenId>& ids) const {
    for (const Entry& entry : sets_[place].entries) {
      if (entry.low != word.low || entry.high != word.high || entry.size != word.size) continue;
      for (std::size_t i = 0; i < entry.count; ++i) ids.push_back(entry.ids[i]);
      return true;
    }
    return false;
  }

  void insert(const ShortWord& word, std::size_t place, std::span<const TokenId> ids) {
    if (ids.empty() || ids.size() > kMostIds) return;
    Set& set = sets_[place];
    set.entries[1] = set.entries[0];
    Entry& entry = set.entries[0];
    entry.low = word.low;
    entry.high = word.high;
    entry.size = static_cast<std::uint8_t>(word.size);
    entry.count = static_cast<std::uint8_t>(ids.size());
    std::ranges::copy(ids, entry.ids.begin());
  }

  std::size_t place(const ShortWord& word) const {
    return hash_words(word.low, word.high, seed_) & mask_;
  }

  std::vector<Set> sets_;
  std::size_t mask_;
  std::uint64_t seed_;
  std::array<Waiting, 16> waiting_;
  std::size_t size_ = 0;  // of waiting_
};

}  // namespace sextant
