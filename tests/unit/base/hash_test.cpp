// SPDX-License-Identifier: Apache-2.0
#include "base/hash.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "base/rng.h"

namespace sextant {
namespace {

std::string random_text(std::size_t size, std::uint64_t stream) {
  const Rng rng(20240607, stream);
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(rng.at(i));
  return text;
}

// Every bit of the result changes with probability 1/2 when one bit of the input does. Over 512
// texts the share of changes has the standard deviation 1/(2 sqrt 512) = 0.022; six of them bound
// the worst of all pairs of bits.
TEST(Hash, TurnsHalfOfItsBitsForEachBitOfTheText) {
  constexpr int kTexts = 512;
  for (const std::size_t size : {1U, 7U, 16U, 33U, 64U, 65U, 200U}) {
    const std::size_t step = size > 40 ? 37 : 3;
    for (std::size_t bit = 0; bit < 8 * size; bit += step) {
      std::vector<int> changes(64);
      for (int i = 0; i < kTexts; ++i) {
        std::string text = random_text(size, static_cast<std::uint64_t>(i));
        const std::uint64_t before = hash(text, 1);
        text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
        std::uint64_t difference = before ^ hash(text, 1);
        for (; difference != 0; difference &= difference - 1)
          ++changes[static_cast<std::size_t>(std::countr_zero(difference))];
      }
      for (const int count : changes)
        ASSERT_NEAR(count / double{kTexts}, 0.5, 6 * 0.0221) << "size " << size << " bit " << bit;
    }
  }
}

TEST(Hash, TurnsHalfOfItsBitsForEachBitOfTheSeed) {
  for (int bit = 0; bit < 64; ++bit) {
    int changes = 0;
    for (std::uint64_t i = 0; i < 256; ++i) {
      const std::string text = random_text(20, i);
      changes += std::popcount(hash(text, i) ^ hash(text, i ^ std::uint64_t{1} << bit));
    }
    EXPECT_NEAR(changes / 256.0, 32.0, 6 * 4.0 / 16.0) << "bit " << bit;
  }
}

TEST(Hash, TellsZerosApartByTheirNumber) {
  std::set<std::uint64_t> seen;
  for (std::size_t size = 0; size < 300; ++size) seen.insert(hash(std::string(size, '\0'), 1));
  EXPECT_EQ(seen.size(), 300u);
}

// A chi-square with 63 degrees of freedom exceeds 63 + 5 sqrt(126) = 119 once in 30,000 times.
TEST(Hash, SpreadsCountedNamesEvenlyOverItsTopBits) {
  constexpr int kNames = 64000;
  std::vector<int> counts(64);
  for (int i = 0; i < kNames; ++i) ++counts[hash("name " + std::to_string(i), 7) >> 58];
  double chi_square = 0.0;
  for (const int count : counts) chi_square += std::pow(count - 1000.0, 2) / 1000.0;
  EXPECT_LT(chi_square, 119.0);
}

TEST(Mixed, DependsOnTheOrderOfItsWords) { EXPECT_NE(mixed(1, 2), mixed(2, 1)); }

}  // namespace
}  // namespace sextant
