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

  // The ids, or nothing (an empty span; a word has at least one id).
  std::span<const TokenId> find(const ShortWord& word) const {
    for (const Entry& entry : sets_[place(word)].entries)
      if (entry.low == word.low && entry.high == word.high && entry.size == word.size)
        return std::span(entry.ids).first(entry.count);
    return {};
  }

  // Appends the ids of a known word, or returns false.
  bool append(const ShortWord& word, std::vector<TokenId>& ids) const {
    const std::span<const TokenId> known = find(word);
    for (const TokenId id : known) ids.push_back(id);
    return !known.empty();
  }

  // Words of more ids than fit are left out.
  void insert(const ShortWord& word, std::span<const TokenId> ids) {
    if (ids.empty() || ids.size() > kMostIds) return;
    Set& set = sets_[place(word)];
    set.entries[1] = set.entries[0];
    Entry& entry = set.entries[0];
    entry.low = word.low;
    entry.high = word.high;
    entry.size = static_cast<std::uint8_t>(word.size);
    entry.count = static_cast<std::uint8_t>(ids.size());
    std::ranges::copy(ids, entry.ids.begin());
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

  std::size_t place(const ShortWord& word) const {
    return hash_words(word.low, word.high, seed_) & mask_;
  }

  std::vector<Set> sets_;
  std::size_t mask_;
  std::uint64_t seed_;
};

}  // namespace sextant
