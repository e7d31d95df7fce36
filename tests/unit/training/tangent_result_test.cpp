// SPDX-License-Identifier: Apache-2.0
#include "training/tangent_result.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

Matrix diagonal(double a, double b) {
  Matrix result(2, 2);
  result(0, 0) = a;
  result(1, 1) = b;
  return result;
}

TEST(TangentResult, MeasuresDriftRelativeToTheStart) {
  const TangentResult result = tangent_result(diagonal(3.0, 4.0), diagonal(3.0, 1.0));
  EXPECT_DOUBLE_EQ(result.start_norm, 5.0);
  EXPECT_DOUBLE_EQ(result.end_norm, std::sqrt(10.0));
  EXPECT_DOUBLE_EQ(result.drift, 0.6);
  EXPECT_DOUBLE_EQ(result.alignment, 13.0 / (5.0 * std::sqrt(10.0)));
  EXPECT_EQ(result.outputs, 2);
}

TEST(TangentResult, KeepsTheAlignmentOfAKernelThatOnlyGrows) {
  const TangentResult result = tangent_result(diagonal(1.0, 2.0), diagonal(3.0, 6.0));
  EXPECT_DOUBLE_EQ(result.alignment, 1.0);
  EXPECT_DOUBLE_EQ(result.drift, 2.0);
}

TEST(TangentResult, DoesNotDriftWhereNothingMoves) {
  EXPECT_EQ(tangent_result(diagonal(1.0, 2.0), diagonal(1.0, 2.0)).drift, 0.0);
  EXPECT_EQ(tangent_result(diagonal(0.0, 0.0), diagonal(0.0, 0.0)).drift, 0.0);
}

TEST(TangentResult, SurvivesItsFile) {
  const TemporaryDirectory folder;
  const TangentResult before = tangent_result(diagonal(3.0, 4.0), diagonal(0.1, 1.0));
  folder.write(kTangentName, to_text(tangent_result_json(before)));
  const TangentResult after = read_tangent_result(folder.path());
  EXPECT_EQ(after.outputs, before.outputs);
  EXPECT_EQ(after.drift, before.drift);
  EXPECT_EQ(after.alignment, before.alignment);
  folder.write(kTangentName, "{\"outputs\": 2}");
  expect_error(ErrorCode::kMalformed, "start_norm", [&] { read_tangent_result(folder.path()); });
}

}  // namespace
}  // namespace sextant
