// SPDX-License-Identifier: Apache-2.0
// Hashing of words that a stranger chose: the seed is drawn anew in every process, so that nobody
// can prepare a corpus whose words all collide.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sextant {

std::uint64_t hash_seed();

// Both halves of the product of two words, folded.
inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

inline constexpr std::uint64_t kHashOdd1 = 0x9e3779b97f4a7c15, kHashOdd2 = 0xd1b54a32d192ed03;

inline std::uint64_t hash_words(std::uint64_t low, std::uint64_t high, std::uint64_t seed) {
  return folded_product(low ^ seed, folded_product(high ^ kHashOdd1, seed | 1) ^ kHashOdd2);
}

inline std::uint64_t hash_bytes(std::string_view bytes, std::uint64_t seed) {
  std::uint64_t hash = seed ^ bytes.size();
  while (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    hash = hash_words(word, hash, seed);
    bytes.remove_prefix(8);
  }
  std::uint64_t rest = 0;
  if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
  return hash_words(rest, hash, seed);
}

struct TokenHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view bytes) const { return hash_bytes(bytes, seed); }
  std::uint64_t seed = hash_seed();
};

template <typename Value>
using TokenMap = std::unordered_map<std::string, Value, TokenHash, std::equal_to<>>;

}  // namespace sextant
