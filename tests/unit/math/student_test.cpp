// SPDX-License-Identifier: Apache-2.0
#include "math/student.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace sextant {
namespace {

constexpr double kRelative = 1e-13;  // of lgamma and exp of numbers near 1

void expect_close(double value, double expected) {
  EXPECT_NEAR(value, expected, kRelative * expected) << "expected " << expected;
}

TEST(StudentTwoSided, HasTheClosedFormsOfOneTwoAndFourDegrees) {
  for (const double t : {1e-3, 0.1, 0.5, 1.0, 2.0, 2.776, 4.0, 12.7, 100.0}) {
    SCOPED_TRACE(t);
    expect_close(student_two_sided(t, 1.0), 2.0 / std::numbers::pi * std::atan2(1.0, t));
    // 1 - t / sqrt(2 + t^2) and its like for 4, without the cancellation of large t.
    const double two = std::sqrt(2.0 + t * t);
    expect_close(student_two_sided(t, 2.0), 2.0 / (two * (two + t)));
    const double c = t / std::sqrt(4.0 + t * t), gap = 4.0 / (4.0 + t * t) / (1.0 + c);
    expect_close(student_two_sided(t, 4.0), gap * gap * (2.0 + c) / 2.0);
    EXPECT_EQ(student_two_sided(-t, 4.0), student_two_sided(t, 4.0));
  }
  EXPECT_EQ(student_two_sided(0.0, 3.0), 1.0);
  EXPECT_EQ(student_two_sided(std::numeric_limits<double>::infinity(), 3.0), 0.0);
}

TEST(StudentTwoSided, ComesNearTheNormalLawForManyDegrees) {
  for (const double t : {0.5, 1.96, 3.0})
    EXPECT_NEAR(student_two_sided(t, 1e7), std::erfc(t / std::numbers::sqrt2), 1e-6);
}

TEST(StudentQuantile, IsTheInverseOfTheTail) {
  // tan(pi (1 - p) / 2) for one degree, and the root of the closed form for two.
  for (const double p : {0.9, 0.5, 0.05, 0.01}) {
    EXPECT_NEAR(student_quantile(p, 1.0) * std::tan(std::numbers::pi * p / 2.0), 1.0, 1e-12);
    const double q = 1.0 - p;
    EXPECT_NEAR(student_quantile(p, 2.0) / (q * std::sqrt(2.0 / (1.0 - q * q))), 1.0, 1e-12);
  }
}

TEST(IncompleteBeta, HasTheFormsOfPowersAndTheArcSine) {
  for (const double x : {1e-6, 0.1, 0.4, 0.75, 0.999}) {
    SCOPED_TRACE(x);
    expect_close(incomplete_beta(3.0, 1.0, x, 1.0 - x), x * x * x);
    expect_close(incomplete_beta(0.5, 0.5, x, 1.0 - x),
                 2.0 / std::numbers::pi * std::asin(std::sqrt(x)));
    expect_close(incomplete_beta(2.0, 2.0, x, 1.0 - x), x * x * (3.0 - 2.0 * x));
    EXPECT_NEAR(incomplete_beta(7.5, 2.25, x, 1.0 - x) + incomplete_beta(2.25, 7.5, 1.0 - x, x),
                1.0, kRelative);
  }
  EXPECT_EQ(incomplete_beta(2.0, 3.0, 0.0, 1.0), 0.0);
  EXPECT_EQ(incomplete_beta(2.0, 3.0, 1.0, 0.0), 1.0);
}

}  // namespace
}  // namespace sextant
