// SPDX-License-Identifier: Apache-2.0
// The accuracy that table.h promises, on random bases, widths and positions up to ten million.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/rope_accuracy.h"

namespace sextant {
namespace {

constexpr double kFarthest = 1e7;

TEST(RopeAccuracy, HoldsForAMillionRandomPositionsAndPairs) {
  std::mt19937_64 rng(20240607);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::uniform_int_distribution<int> anywhere(-static_cast<int>(kFarthest),
                                              static_cast<int>(kFarthest));
  RopeAccuracy accuracy;
  while (accuracy.entries() < 1000000) {
    const double base = std::round(std::pow(10.0, 2.0 + 7.0 * unit(rng)));
    Matrix scattered(100, 1);
    for (double& t : scattered.values()) t = anywhere(rng);
    accuracy.measure(base, 2 * static_cast<Index>(1.0 + 256.0 * unit(rng)),
                     Positions::from(scattered));
    // Consecutive positions take another path.
    accuracy.measure(base, 2 * static_cast<Index>(1.0 + 32.0 * unit(rng)),
                     Positions::range(600, std::min<double>(anywhere(rng), kFarthest - 600)));
  }
  accuracy.print();
  for (std::size_t f = 0; f < kFormats.size(); ++f) {
    EXPECT_LE(accuracy.worst(f), kFormats[f].bound) << name(kFormats[f].dtype);
  }
}

}  // namespace
}  // namespace sextant
