// SPDX-License-Identifier: Apache-2.0
// How far a run of ASCII characters of one kind goes, eight bytes at a time: words are short, and a
// loop over bytes would mispredict its end at each of them.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sextant {

inline constexpr std::uint64_t kEachByte = 0x0101010101010101;
inline constexpr std::uint64_t kHighBits = kEachByte * 0x80;

// High bit of each byte that is in [first, last]. REQUIRES: bytes below 0x80, first > 0.
constexpr std::uint64_t bytes_between(std::uint64_t bytes, unsigned first, unsigned last) {
  return (bytes + kEachByte * (0x80 - first)) & ~(bytes + kEachByte * (0x7f - last)) & kHighBits;
}

// High bit of each byte that is an ASCII letter, of one that is a letter or digit, and of one that
// is printable and no blank.
constexpr std::uint64_t ascii_letters(std::uint64_t bytes) {
  return bytes_between((bytes | kEachByte * 0x20) & ~kHighBits, 'a', 'z') & ~bytes;
}
constexpr std::uint64_t ascii_alphanumerics(std::uint64_t bytes) {
  return ascii_letters(bytes) | (bytes_between(bytes & ~kHighBits, '0', '9') & ~bytes);
}
constexpr std::uint64_t ascii_graphics(std::uint64_t bytes) {
  return (((bytes & ~kHighBits) + kEachByte * (0x80 - 0x21)) & kHighBits) & ~bytes;
}

// The number of bytes at the start of `text` of which `kind` (one of the above) holds.
template <std::uint64_t (*kind)(std::uint64_t)>
std::size_t run_size(std::string_view text) {
  std::size_t size = 0;
  for (; text.size() - size >= 8; size += 8) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text.data() + size, 8);
    const std::uint64_t stops = ~kind(bytes) & kHighBits;
    if (stops != 0) return size + static_cast<std::size_t>(std::countr_zero(stops)) / 8;
  }
  while (size < text.size() && (kind(static_cast<unsigned char>(text[size])) & 0x80) != 0) ++size;
  return size;
}

// ASCII capitals become small letters. REQUIRES: bytes below 0x80.
constexpr std::uint64_t ascii_lowered(std::uint64_t bytes) {
  return bytes | bytes_between(bytes, 'A', 'Z') >> 2;
}
constexpr char ascii_lowered(char c) {
  return static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

}  // namespace sextant
