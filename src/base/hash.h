// SPDX-License-Identifier: Apache-2.0
// Hashes of bytes that are the same in every run and on every machine: blocks, permutations and
// checksums depend on them, so that changing one bit of this is a change of format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace sextant {

// High xor low half of the 128-bit product: each bit of the result depends on all bits of both.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<std::uint64_t>(product >> 64) ^ static_cast<std::uint64_t>(product);
}

// Two words to one. Not commutative.
inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t first = fold(a ^ 0x9E6C63D0876A9A35, b ^ 0xC5D10F4BB1E1B2A7);
  return fold(first ^ a ^ 0xD6E8FEB86659FD93, 0xA0761D6478BD642F ^ (b << 32 | b >> 32));
}

// Not for secrets: whoever knows the seed can find collisions.
std::uint64_t hash(std::span<const std::byte> bytes, std::uint64_t seed);
inline std::uint64_t hash(std::string_view text, std::uint64_t seed) {
  return hash(std::as_bytes(std::span(text)), seed);
}

}  // namespace sextant
