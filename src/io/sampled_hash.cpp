// SPDX-License-Identifier: Apache-2.0
#include "io/sampled_hash.h"

#include <algorithm>
#include <vector>

#include "base/hash.h"

namespace sextant {
namespace {

constexpr std::uint64_t kSampleSeed = 0x66696C6573000009;
constexpr std::uint64_t kPieces = 17, kPieceBytes = 4096;

}  // namespace

std::uint64_t sampled_hash(const InputFile& file) {
  const std::uint64_t size = file.size();
  const bool whole = size <= kPieces * kPieceBytes;
  std::vector<std::byte> bytes(whole ? size : kPieces * kPieceBytes);
  if (whole) {
    file.read_at(0, bytes);
  } else {
    // Steps of whole bytes; the last piece ends with the file.
    const std::uint64_t step = (size - kPieceBytes) / (kPieces - 1);
    for (std::uint64_t i = 0; i < kPieces; ++i)
      file.read_at(i + 1 < kPieces ? i * step : size - kPieceBytes,
                   std::span(bytes).subspan(i * kPieceBytes, kPieceBytes));
  }
  return mixed(hash(bytes, kSampleSeed), size);
}

}  // namespace sextant
