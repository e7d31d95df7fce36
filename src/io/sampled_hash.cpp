// SPDX-License-Identifier: Apache-2.0
#include "io/sampled_hash.h"

#include <algorithm>
#include <vector>

#include "base/hash.h"

namespace sextant {
namespace {

constexpr std::uint64_t kSampleSeed = 0x66696C6573000009;
constexpr std::uint64_t kPieces = 17, kPieceBytes = 4096;
constexpr std::uint64_t kWindow = std::uint64_t{1} << 20;  // bytes read at once

std::uint64_t hash_of_pieces(const InputFile& file) {
  // Steps of whole bytes; the last piece ends with the file.
  const std::uint64_t step = (file.size() - kPieceBytes) / (kPieces - 1);
  std::vector<std::byte> bytes(kPieces * kPieceBytes);
  for (std::uint64_t i = 0; i < kPieces; ++i)
    file.read_at(i + 1 < kPieces ? i * step : file.size() - kPieceBytes,
                 std::span(bytes).subspan(i * kPieceBytes, kPieceBytes));
  return hash(bytes, kSampleSeed);
}

std::uint64_t hash_of_all(const InputFile& file) {
  std::uint64_t result = kSampleSeed;
  std::vector<std::byte> bytes;
  for (std::uint64_t at = 0; at < file.size(); at += bytes.size()) {
    bytes.resize(std::min(kWindow, file.size() - at));
    file.read_at(at, bytes);
    result = hash(bytes, result);
  }
  return result;
}

}  // namespace

std::uint64_t sampled_hash(const InputFile& file, std::uint64_t total) {
  const bool whole = total <= kMostHashedWhole || file.size() <= kPieces * kPieceBytes;
  return mixed(whole ? hash_of_all(file) : hash_of_pieces(file), file.size());
}

}  // namespace sextant
