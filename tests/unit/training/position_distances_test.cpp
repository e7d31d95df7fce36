// SPDX-License-Identifier: Apache-2.0
#include "training/position_distances.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/expect_error.h"
#include "support/token_corpus.h"

namespace sextant {
namespace {

TEST(PositionDistances, AreThoseOfTheLawsOfTokens) {
  // P_0 = (1, 0), P_1 = (1/2, 1/2), P_2 = (0, 1): 2 - 2 sum sqrt(P Q).
  const DistanceMatrix squared =
      squared_position_distances(*corpus_of({{0, 0, 1}, {0, 1, 1}}, 10), 3);
  EXPECT_NEAR(squared(0, 1), 2.0 - std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(squared(1, 2), 2.0 - std::sqrt(2.0), 1e-14);
  EXPECT_NEAR(squared(0, 2), 2.0, 1e-14);
}

TEST(PositionDistances, LeaveShortTextsOut) {
  const DistanceMatrix squared = squared_position_distances(*corpus_of({{5}, {0, 0}, {7}}, 10), 2);
  EXPECT_EQ(squared(0, 1), 0.0);
}

TEST(PositionDistances, NeedOneTextThatIsLongEnough) {
  expect_error(ErrorCode::kMalformed, "no text has 3 tokens", [] {
    squared_position_distances(*corpus_of({{0, 1}}, 10), 3);
  });
}

}  // namespace
}  // namespace sextant
