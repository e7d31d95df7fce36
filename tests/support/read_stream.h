// SPDX-License-Identifier: Apache-2.0
// A whole byte stream as one string.
#pragma once

#include <filesystem>
#include <string>

#include "io/byte_stream.h"

namespace sextant {

inline constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 40;

// Reads `step` bytes at a time.
inline std::string read_stream(const std::filesystem::path& path, std::uint64_t most = kNoLimit,
                               std::size_t step = std::size_t{1} << 16) {
  const auto stream = open_byte_stream(path, most);
  std::string result, piece(step, '\0');
  for (std::size_t got = step; got == step;) {
    got = stream->read(piece);
    result.append(piece, 0, got);
  }
  return result;
}

}  // namespace sextant
