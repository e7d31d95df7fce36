// SPDX-License-Identifier: Apache-2.0
// Maps whose shift by one step has negative eigenvalues.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "math/eigen_map.h"
#include "math/matrix_exponential.h"
#include "sextant/classify.h"

namespace sextant {
namespace {

TEST(Shift, WithASignPerStepHasNoRealGenerator) {
  MapSamples samples;
  samples.s = samples.t = Positions::range(8);
  for (Index i = 0; i < 8; ++i) {
    const double sign = i % 2 == 0 ? 1.0 : -1.0;
    samples.f.push_back(to_matrix(EigenMatrix{{sign, 0.0}, {0.0, 1.0}}));
    samples.g.push_back(samples.f.back());
  }
  const MapTest test = test_maps(samples);
  EXPECT_EQ(test.verdict, MapVerdict::kGroup);
  EXPECT_TRUE(test.integer_time_only);
  EXPECT_FALSE(test.generator);
  EXPECT_NE(test.reason.find("negative eigenvalue"), std::string::npos) << test.reason;
}

// -1 = R(pi): signs of two dimensions are half a turn of their plane.
TEST(Shift, WithASignPerStepOnTwoDimensionsTurnsByHalfACircle) {
  const EigenMatrix basis{{1.0, 0.5, 0.2}, {0.0, 1.0, -0.3}, {0.4, 0.0, 1.0}};
  const EigenMatrix inverse = basis.inverse();
  const auto power = [&](double t) -> EigenMatrix {
    const double sign = std::remainder(t, 2.0) == 0.0 ? 1.0 : -1.0;
    const Eigen::Vector3d values(sign * std::exp(-0.1 * t), sign * std::exp(-0.1 * t),
                                 std::exp(-0.3 * t));
    return basis * values.asDiagonal() * inverse;
  };
  MapSamples samples;
  samples.s = samples.t = Positions::range(8);
  for (Index i = 0; i < 8; ++i) {
    samples.f.push_back(to_matrix(power(static_cast<double>(i)).transpose()));
    samples.g.push_back(to_matrix(power(-static_cast<double>(i))));
  }
  const MapTest test = test_maps(samples);
  ASSERT_EQ(test.verdict, MapVerdict::kGroup) << test.reason;
  EXPECT_FALSE(test.integer_time_only) << test.reason;
  EXPECT_TRUE(test.aliased);
  ASSERT_TRUE(test.generator);
  const Matrix step = matrix_exponential(*test.generator, 1.0);
  EXPECT_LT((as_eigen(step) - power(1.0)).norm(), 1e-10);
  ASSERT_EQ(test.families->families.size(), 2u);
  const BlockFamily& turn = test.families->families[1];
  EXPECT_EQ(turn.kind, BlockKind::kSpiral);
  EXPECT_NEAR(turn.frequency, std::numbers::pi, 1e-9);
  EXPECT_NEAR(turn.decay, -0.1, 1e-9);
}

// One chain of two links at -1 is no square of a real matrix.
TEST(Shift, WithASignPerStepOnAChainHasNoRealGenerator) {
  MapSamples samples;
  samples.s = samples.t = Positions::range(8);
  for (Index i = 0; i < 8; ++i) {
    const double sign = i % 2 == 0 ? 1.0 : -1.0, t = static_cast<double>(i);
    samples.f.push_back(to_matrix(EigenMatrix{{sign, 0.0}, {-sign * t, sign}}));
    samples.g.push_back(to_matrix(EigenMatrix{{sign, sign * t}, {0.0, sign}}));
  }
  const MapTest test = test_maps(samples);
  EXPECT_EQ(test.verdict, MapVerdict::kGroup) << test.reason;
  EXPECT_TRUE(test.integer_time_only) << test.reason;
  EXPECT_FALSE(test.generator);
}

}  // namespace
}  // namespace sextant
