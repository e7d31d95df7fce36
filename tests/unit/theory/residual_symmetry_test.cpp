// SPDX-License-Identifier: Apache-2.0
#include "theory/residual_symmetry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "sextant/registry.h"
#include "theory/memorisation.h"

namespace sextant {
namespace {

constexpr TransformerShape kShape{.dim = 8, .heads = 2};

ResidualSymmetry symmetry(const char* spec, bool causal = false) {
  TransformerShape shape = kShape;
  shape.causal = causal;
  const auto encoding = encodings().make(spec);
  return ResidualSymmetry::of(transformer_effects(*encoding, shape, 5), shape, 5);
}

std::size_t orbits(const ResidualSymmetry& symmetry, Index n) {
  std::set<std::string> seen;
  for (const std::string& x : binary_sequences(n, 1024, 1))
    for (std::size_t t = 0; t < x.size(); ++t) seen.insert(symmetry.orbit(x, t));
  return seen.size();
}

TEST(ResidualSymmetryGroup, OrbitsAreCountedAsByHand) {
  EXPECT_EQ(orbits(symmetry("none"), 5), 10U);              // 2 N
  EXPECT_EQ(orbits(symmetry("sinusoidal"), 5), 160U);       // N 2^N
  EXPECT_EQ(orbits(symmetry("rope"), 5), 160U - 8U);        // constant sequences: 2 (N - 1)
  EXPECT_EQ(orbits(symmetry("sinusoidal", true), 5), 62U);  // prefixes: 2 + 4 + ... + 2^N
  EXPECT_EQ(orbits(symmetry("rope", true), 5), 62U - 8U);   // constant prefixes are one
  // Reversal fixes the 2^3 palindromes at their middle: (160 + 8) / 2 by Burnside, where the two
  // constant ones with (5 + 1) / 2 orbits each become one each.
  EXPECT_EQ(orbits(symmetry("alibi"), 5), 84U - 4U);
}

TEST(OddPart, IsZeroForBiasesInTheDistanceOnly) {
  const auto odd = [](const char* spec) {
    const auto encoding = encodings().make(spec);
    return odd_part(transformer_effects(*encoding, kShape, 5), kShape, 5);
  };
  EXPECT_EQ(odd("none"), 0.0);
  EXPECT_EQ(odd("alibi"), 0.0);
  EXPECT_GT(odd("rope"), 0.1);
  EXPECT_GT(odd("sinusoidal"), 0.1);
}

// A bias at the diagonal alone, and one that is nowhere a number.
TEST(OddPart, SeesTheDiagonalAndKeepsWhatIsNoNumber) {
  Effects effects;
  effects.logit = LogitBias{.at = [](Index, double s, double t) { return s == t ? s : 0.0; },
                            .depends_on_lag_only = false};
  EXPECT_EQ(odd_part(effects, kShape, 5), 4.0);
  effects.logit = LogitBias{.at = [](Index, double s, double t) {
    return s == 1.0 && t == 0.0 ? std::numeric_limits<double>::quiet_NaN() : 0.0;
  }};
  EXPECT_TRUE(std::isnan(odd_part(effects, kShape, 5)));
}

}  // namespace
}  // namespace sextant
