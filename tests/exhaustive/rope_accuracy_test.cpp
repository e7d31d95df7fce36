// SPDX-License-Identifier: Apache-2.0
// Every entry of the most common table: 64 pairs, base 10000, positions up to 131072.
#include <gtest/gtest.h>

#include "support/rope_accuracy.h"

namespace sextant {
namespace {

TEST(RopeAccuracy, HoldsForEveryEntryOfTheCommonTable) {
  constexpr Index kStretch = 4096;
  RopeAccuracy accuracy;
  for (Index first = 0; first <= 131072; first += kStretch) {
    accuracy.measure(
        10000.0, 128,
        Positions::range(std::min(kStretch, 131073 - first), static_cast<double>(first)));
  }
  accuracy.print();
  EXPECT_EQ(accuracy.entries(), 131073u * 64u);
  for (std::size_t f = 0; f < kFormats.size(); ++f) {
    EXPECT_LE(accuracy.worst(f), kFormats[f].bound) << name(kFormats[f].dtype);
  }
}

}  // namespace
}  // namespace sextant
