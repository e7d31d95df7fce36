// SPDX-License-Identifier: Apache-2.0
#include "sextant/positions.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/expect_error.h"

namespace sextant {
namespace {

TEST(Position, AScalarCountsOnEveryAxis) {
  const Position t = 7.0;
  EXPECT_EQ(t.axes(), 1);
  EXPECT_EQ(t[0], 7.0);
  EXPECT_EQ(t[2], 7.0);
}

TEST(Position, LagsAreTakenPerAxis) {
  const double s[] = {5.0, 1.0}, t[] = {2.0, 4.0};
  const Position lag = Position(s) - Position(t);
  EXPECT_EQ(lag[0], 3.0);
  EXPECT_EQ(lag[1], -3.0);
  const Position mixed = Position(s) - Position(1.0);
  EXPECT_EQ(mixed.axes(), 2);
  EXPECT_EQ(mixed[1], 0.0);
}

TEST(Positions, RangeStartsAtItsOffset) {
  const Positions range = Positions::range(3, 10.5);
  EXPECT_EQ(range.size(), 3);
  EXPECT_EQ(range[2][0], 12.5);
  EXPECT_TRUE(range.consecutive().has_value());
}

TEST(Positions, ListsHoldAnyRealNumbers) {
  Matrix coordinates(2, 2);
  coordinates(1, 0) = 0.25;
  coordinates(1, 1) = -3.0;
  const Positions list = Positions::from(coordinates);
  EXPECT_EQ(list.axes(), 2);
  EXPECT_EQ(list[1][1], -3.0);
  EXPECT_FALSE(list.consecutive().has_value());
}

TEST(Positions, RefusesWhatIsNoPosition) {
  Matrix bad(1, 1);
  bad(0, 0) = std::numeric_limits<double>::quiet_NaN();
  expect_error(ErrorCode::kNumeric, "finite", [&] { Positions::from(bad); });
  expect_error(ErrorCode::kUsage, "axes must be 1 to 4 but got 5",
               [] { Positions::from(Matrix(1, 5)); });
  expect_error(ErrorCode::kUsage, "negative", [] { Positions::range(-1); });
  expect_error(ErrorCode::kUsage, "2^53", [] { Positions::range(4, 0x1p53 - 1.0); });
  bad(0, 0) = 1e300;
  expect_error(ErrorCode::kUsage, "2^53", [&] { Positions::from(bad); });
}

}  // namespace
}  // namespace sextant
