// SPDX-License-Identifier: Apache-2.0
// Which coordinates of a query or key the factor on cos and sin multiplies.
#include <gtest/gtest.h>

#include "sextant/registry.h"

namespace sextant {
namespace {

constexpr double kFactor = 1.25, kRounding = 1e-15;

TEST(Magnitude, LeavesCoordinatesThatDoNotTurn) {
  const auto rope = encodings().make(
      "rope(scaling=yarn,factor=4,original=4096,attention_factor=1.25,partial=0.5)");
  const QueryKeyMap map = *rope->effects({.dim = 8}).query_key;
  // At position 0 the map is the magnitude alone.
  Vector query(8, 1.0), key(8, 1.0);
  map.apply_to_query(0.0, query);
  map.apply_to_key(0.0, key);
  const Matrix form = map.at(0.0);
  for (Index i = 0; i < 8; ++i) {
    const double factor = i < 4 ? kFactor : 1.0;
    EXPECT_NEAR(query[static_cast<std::size_t>(i)], factor, kRounding);
    EXPECT_NEAR(key[static_cast<std::size_t>(i)], factor, kRounding);
    for (Index j = 0; j < 8; ++j)
      EXPECT_NEAR(form(i, j), i == j ? factor * factor : 0.0, kRounding) << i << ' ' << j;
  }
}

TEST(Magnitude, MultipliesAPairOfFrequencyZero) {
  const std::vector<JordanBlock> blocks = {{.rotates = true}, {}};
  const QueryKeyMap map{.groups = {OneParameterGroup(blocks)}, .magnitude = kFactor};
  Vector x(3, 1.0);
  map.apply_to_key(7.0, x);
  EXPECT_EQ(x, (Vector{kFactor, kFactor, 1.0}));
}

TEST(Magnitude, MultipliesWhatAnyAxisMoves) {
  const std::vector<JordanBlock> first = {{.frequency = 1.0}, {.rotates = true}, {}};
  const std::vector<JordanBlock> second = {{.rotates = true}, {.frequency = 1.0}, {}};
  const QueryKeyMap map{.groups = {OneParameterGroup(first), OneParameterGroup(second)},
                        .magnitude = kFactor};
  Vector x(5, 1.0);
  map.apply_to_query(0.0, x);
  EXPECT_EQ(x, (Vector{kFactor, kFactor, kFactor, kFactor, 1.0}));
}

TEST(Magnitude, MultipliesAllOfADenseGenerator) {
  Matrix x(2, 2);
  x(0, 1) = 0.5;
  const QueryKeyMap map{.groups = {OneParameterGroup::from_generator(x)}, .magnitude = kFactor};
  EXPECT_NEAR(map.at(0.0)(1, 1), kFactor * kFactor, kRounding);
}

}  // namespace
}  // namespace sextant
