// SPDX-License-Identifier: Apache-2.0
// How cells are packed, for those who write them: PackedCursor reads what this writes.
//
// A cell is a varint of 2 (key - previous key - 1) + [count > 1], then, where the count is above 1,
// a varint of count - 2. Varints have seven bits a byte, low bits first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace sextant {

inline constexpr std::size_t kMostCellBytes = 20;

inline std::size_t varint_size(std::uint64_t value) {
  return (static_cast<std::size_t>(std::bit_width(value | 1)) + 6) / 7;
}

inline std::byte* put_varint(std::uint64_t value, std::byte* at) {
  for (; value >= 128; value >>= 7) *at++ = static_cast<std::byte>(value | 128);
  *at++ = static_cast<std::byte>(value);
  return at;
}

// Of a cell whose key is `step` after the one that follows the last.
inline std::size_t packed_cell_size(std::uint64_t step, std::uint64_t count) {
  return varint_size(step << 1) + (count > 1 ? varint_size(count - 2) : 0);
}

// Returns the end.
inline std::byte* put_packed_cell(std::uint64_t step, std::uint64_t count, std::byte* at) {
  at = put_varint(step << 1 | (count > 1 ? 1 : 0), at);
  return count > 1 ? put_varint(count - 2, at) : at;
}

}  // namespace sextant
