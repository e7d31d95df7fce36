// SPDX-License-Identifier: Apache-2.0
#include "training/row_history.h"

#include <gtest/gtest.h>

#include <array>

#include "io/npy.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

// Points on a line, so that distances can be read off.
Matrix on_a_line(const std::vector<double>& places) {
  Matrix rows(static_cast<Index>(places.size()), 1);
  for (std::size_t i = 0; i < places.size(); ++i) rows(static_cast<Index>(i), 0) = places[i];
  return rows;
}

std::string bytes_of(std::span<const double> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

TEST(TurningPoint, IsWhereTheCurveIsLeast) {
  const std::array<Index, 4> steps = {0, 10, 20, 30};
  const TurningPoint point = turning_point(steps, std::array{0.551, 0.3, 0.234, 0.497});
  EXPECT_EQ(point.step, 20);
  EXPECT_EQ(point.first, 0.551);
  EXPECT_EQ(point.least, 0.234);
  EXPECT_EQ(point.last, 0.497);
  EXPECT_TRUE(point.turns());
}

TEST(TurningPoint, DoesNotTurnWhereTheCurveOnlyFallsOrRises) {
  const std::array<Index, 3> steps = {0, 1, 2};
  EXPECT_FALSE(turning_point(steps, std::array{3.0, 2.0, 1.0}).turns());
  EXPECT_FALSE(turning_point(steps, std::array{1.0, 2.0, 3.0}).turns());
  EXPECT_FALSE(turning_point(steps, std::array{1.0, 1.0, 1.0}).turns());
}

TEST(TurningPoint, IsTheFirstOfEqualMinima) {
  const std::array<Index, 4> steps = {0, 5, 6, 7};
  EXPECT_EQ(turning_point(steps, std::array{2.0, 1.0, 1.0, 2.0}).step, 5);
}

TEST(OrderViolations, AreKendallsDiscordantPairs) {
  // 1 2 3 4 against 2 1 4 3: the pairs (1,2) and (3,4) of six stand the other way.
  const OrderCount count =
      order_violations(std::array{1.0, 2.0, 3.0, 4.0}, std::array{2.0, 1.0, 4.0, 3.0});
  EXPECT_EQ(count.comparable, 6);
  EXPECT_EQ(count.discordant, 2);
  EXPECT_DOUBLE_EQ(count.share(), 1.0 / 3.0);
}

TEST(OrderViolations, AreAllPairsOfAReversedOrderAndNoneOfTheSame) {
  const std::array rising = {1.0, 2.0, 5.0}, falling = {3.0, 0.0, -1.0};
  EXPECT_EQ(order_violations(rising, falling).share(), 1.0);
  EXPECT_EQ(order_violations(rising, rising).share(), 0.0);
}

TEST(OrderViolations, LeaveTiesOut) {
  const OrderCount count = order_violations(std::array{1.0, 1.0, 2.0}, std::array{3.0, 2.0, 2.0});
  EXPECT_EQ(count.comparable, 1);  // the first and the last: ties elsewhere
  EXPECT_EQ(count.discordant, 1);
  EXPECT_EQ(order_violations(std::array{1.0, 1.0}, std::array{1.0, 2.0}).share(), 0.0);
}

TEST(OrderViolations, NeedOneSize) {
  expect_error(ErrorCode::kUsage, "1 values against 2", [] {
    order_violations(std::array{1.0}, std::array{1.0, 2.0});
  });
}

TEST(SignChanges, AreCountedForEachPair) {
  // Places 0, x, 10 with x = 1, 3, 2, 2, 4: d(0,1) = x rises, falls, rests, rises: two changes;
  // d(1,2) = 10 - x does the opposite as often; d(0,2) rests throughout.
  RowHistory history;
  for (const double x : {1.0, 3.0, 2.0, 2.0, 4.0})
    history.rows.push_back(on_a_line({0.0, x, 10.0}));
  EXPECT_EQ(sign_changes(distance_history(history)), (std::vector<Index>{2, 0, 2}));
}

TEST(SignChanges, AreNoneOfOneDirection) {
  RowHistory history;
  for (const double x : {1.0, 2.0, 4.0}) history.rows.push_back(on_a_line({0.0, x}));
  EXPECT_EQ(sign_changes(distance_history(history)), std::vector<Index>{0});
  EXPECT_TRUE(sign_changes({}).empty());
}

TEST(LeastDistance, IsThatOfTheNearestPair) {
  EXPECT_DOUBLE_EQ(least_distance(stored(*distances_of_rows(on_a_line({0.0, 5.0, 7.0})))), 2.0);
  EXPECT_EQ(least_distance(DistanceMatrix(1)), 0.0);
}

TEST(ReadRowHistory, ReadsWhatATrialKeeps) {
  const TemporaryDirectory folder;
  const std::array values = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0};
  const std::array steps = {0.0, 50.0};
  folder.write("rows.npy", npy_header("<f8", std::array<Index, 3>{2, 2, 2}) + bytes_of(values));
  folder.write("rows_steps.npy", npy_header("<f8", std::array<Index, 1>{2}) + bytes_of(steps));
  const RowHistory history = read_row_history(folder.path());
  EXPECT_EQ(history.steps, (std::vector<Index>{0, 50}));
  ASSERT_EQ(history.rows.size(), 2U);
  EXPECT_EQ(history.rows[0](1, 0), 3.0);
  EXPECT_EQ(history.rows[1](0, 1), 6.0);
}

TEST(ReadRowHistory, RefusesFilesThatDoNotBelongTogether) {
  const TemporaryDirectory folder;
  const std::array values = {1.0, 2.0};
  folder.write("rows.npy", npy_header("<f8", std::array<Index, 3>{1, 2, 1}) + bytes_of(values));
  folder.write("rows_steps.npy", npy_header("<f8", std::array<Index, 1>{2}) + bytes_of(values));
  expect_error(ErrorCode::kMalformed, "do not agree", [&] { read_row_history(folder.path()); });
}

}  // namespace
}  // namespace sextant
