// SPDX-License-Identifier: Apache-2.0
// Four independent lanes of 128-bit multiplications, so that their latencies overlap; the last
// incomplete block is padded with zeros, and the length tells it from one that ends in zeros.
#include "base/hash.h"

#include <array>
#include <bit>
#include <cstring>

namespace sextant {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

constexpr std::size_t kLanes = 4;
constexpr std::size_t kBlock = kLanes * 16;

// Digits of the fractional parts of the square roots of 2, 3, 5, 7, made odd.
constexpr std::array<std::uint64_t, kLanes> kKeys = {0x6A09E667F3BCC909, 0xBB67AE8584CAA73B,
                                                     0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1};

using Lanes = std::array<std::uint64_t, kLanes>;

std::uint64_t word(const std::byte* at) {
  std::uint64_t value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

void absorb(Lanes& lanes, const std::byte* block) {
  for (std::size_t i = 0; i < kLanes; ++i) {
    const std::byte* at = block + 16 * i;
    lanes[i] = fold(word(at) ^ kKeys[i], word(at + 8) ^ lanes[i]);
  }
}

}  // namespace

std::uint64_t hash(std::span<const std::byte> bytes, std::uint64_t seed) {
  Lanes lanes;
  for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = mixed(seed, kKeys[i]);
  const std::byte* at = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= kBlock; left -= kBlock, at += kBlock) absorb(lanes, at);
  if (left > 0) {
    std::array<std::byte, kBlock> last = {};
    std::memcpy(last.data(), at, left);
    absorb(lanes, last.data());
  }
  const std::uint64_t front = mixed(lanes[0], lanes[1]), back = mixed(lanes[2], lanes[3]);
  return mixed(mixed(front, back), seed ^ bytes.size());
}

}  // namespace sextant
