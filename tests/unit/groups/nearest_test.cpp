// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "math/eigen_map.h"
#include "sextant/classify.h"
#include "sextant/error.h"
#include "support/expect_error.h"
#include "support/sampled_kernel.h"

namespace sextant {
namespace {

TEST(FamilyShape, ReadsPartsOrdersAndCounts) {
  const FamilyShape shape = FamilyShape::parse("spiral + jordan(3)+rotation*2+complex Jordan(2)");
  ASSERT_EQ(shape.parts.size(), 5u);
  EXPECT_EQ(shape.parts[0].kind, BlockKind::kSpiral);
  EXPECT_EQ(shape.parts[1].kind, BlockKind::kRealJordan);
  EXPECT_EQ(shape.parts[1].size, 3);
  EXPECT_EQ(shape.parts[3].kind, BlockKind::kRotation);
  EXPECT_EQ(shape.parts[4].kind, BlockKind::kComplexJordan);
  EXPECT_EQ(shape.parts[4].size, 2);
}

TEST(FamilyShape, NamesThePlaceOfAFault) {
  const auto message = [](std::string_view text) -> std::string {
    try {
      FamilyShape::parse(text);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("spiral+jurdan(2)").find("character 8"), std::string::npos);
  EXPECT_NE(message("jordan").find("character 7"), std::string::npos);
  EXPECT_NE(message("jordan(1)").find("character 8"), std::string::npos);
  EXPECT_NE(message("rotation*0").find("character 10"), std::string::npos);
  EXPECT_NE(message("rotation)").find("character 9"), std::string::npos);
  EXPECT_NE(message("").find("character 1"), std::string::npos);
  EXPECT_NE(message("decay*65").find("64"), std::string::npos);
}

TEST(NearestKernel, FindsTheMemberThatMadeTheKernel) {
  const auto k = sampled(64, [](double lag) {
    return 2.0 * std::exp(-0.05 * lag) * std::cos(0.6 * lag) - 0.03 * lag + 0.5;
  });
  const NearestKernel nearest = nearest_kernel(k, FamilyShape::parse("spiral+jordan(2)"));
  EXPECT_LT(nearest.residual, 1e-9);
  ASSERT_EQ(nearest.blocks.size(), 2u);
  EXPECT_NEAR(nearest.blocks[0].decay, -0.05, 1e-8);
  EXPECT_NEAR(nearest.blocks[0].frequency, 0.6, 1e-8);
  EXPECT_NEAR(nearest.coefficients[0][0], 2.0, 1e-7);
  EXPECT_NEAR(nearest.coefficients[1][0], 0.5, 1e-6);
  EXPECT_NEAR(nearest.coefficients[1][1], -0.03, 1e-7);
}

TEST(NearestKernel, ComesWithinTheNoiseOfALearnedBias) {
  auto k = sampled(128, [](double lag) {
    return std::cos(0.2 * lag) + 0.5 * std::cos(0.9 * lag) + std::exp(-0.1 * lag);
  });
  const Rng rng(5, 0);
  for (std::size_t i = 0; i < k.size(); ++i) k[i] += 0.02 * rng.normal(i);
  const NearestKernel nearest = nearest_kernel(k, FamilyShape::parse("rotation*2+decay"));
  EXPECT_LT(nearest.residual, 0.03);
  EXPECT_GT(nearest.residual, 0.01);
  EXPECT_EQ(nearest.fitted.size(), k.size());
}

TEST(NearestKernel, IsNoFartherThanASmallerShape) {
  const auto k = sampled(64, [](double lag) { return -std::log1p(lag); });
  const double one = nearest_kernel(k, FamilyShape::parse("decay+none")).residual;
  const double two = nearest_kernel(k, FamilyShape::parse("decay*2+none")).residual;
  EXPECT_LT(two, 0.5 * one);
  EXPECT_GT(two, 0.0);
}

TEST(NearestKernel, NeedsAsManySamplesAsNumbers) {
  EXPECT_THROW(nearest_kernel(Vector(5, 1.0), FamilyShape::parse("spiral*3")), Error);
  EXPECT_THROW(nearest_kernel(Vector(8, 1.0), FamilyShape{}), Error);
}

TEST(NearestKernel, CountsTheFreeNumbersOfEachKind) {
  // Two coefficients and a frequency per rotation; one coefficient where nothing moves.
  const auto waves = [](Index count) {
    return sampled(count, [](double lag) { return std::cos(0.3 * lag) + std::cos(lag); });
  };
  const FamilyShape rotations = FamilyShape::parse("rotation*3");
  expect_error(ErrorCode::kUsage, "must be 9 to 4096",
               [&] { nearest_kernel(waves(8), rotations); });
  EXPECT_LT(nearest_kernel(waves(9), rotations).residual, 1.0);
  EXPECT_LT(nearest_kernel(waves(5), FamilyShape::parse("none*5")).residual, 1.0);
  expect_error(ErrorCode::kUsage, "must be 10 to 4096",
               [&] { nearest_kernel(waves(9), FamilyShape::parse("spiral+complex_jordan(2)")); });
}

TEST(NearestKernel, PassesOverStartsThatOverflow) {
  // The Hankel matrix proposes the growth 4.7: e^(4.7 * 127) * 127^29 is about 1e320.
  const auto k = sampled(128, [](double lag) { return std::exp(4.7 * (lag - 127.0)); });
  EXPECT_LE(nearest_kernel(k, FamilyShape::parse("jordan(30)")).residual, 1.0);
}

TEST(NearestKernel, RefusesASearchOfHoursBeforeItBegins) {
  const auto k = sampled(kMostKernelSamples, [](double lag) { return -std::log1p(lag); });
  for (const char* shape : {"rotation*64", "complex_jordan(31)*64"})
    expect_error(ErrorCode::kRefused, "4096 samples and a shape of 64 parts",
                 [&] { nearest_kernel(k, FamilyShape::parse(shape)); });
}

Matrix random_matrix() {
  Matrix x(4, 4);
  const Rng rng(9, 0);
  for (std::size_t i = 0; i < 16; ++i) x.values()[i] = rng.normal(i);
  return x;
}

TEST(NearestGenerator, SplitsOffTheSkewPart) {
  const Matrix x = random_matrix();
  const auto given = as_eigen(x);
  const NearestGenerator rotation = nearest_generator(x, BlockKind::kRotation);
  EXPECT_EQ((as_eigen(rotation.x) + as_eigen(rotation.x).transpose()).norm(), 0.0);
  EXPECT_NEAR(rotation.residual, 0.5 * (given + given.transpose()).norm() / given.norm(), 1e-14);
  const NearestGenerator spiral = nearest_generator(x, BlockKind::kSpiral);
  EXPECT_LT(spiral.residual, rotation.residual);
  EXPECT_NEAR(as_eigen(spiral.x).trace(), given.trace(), 1e-13);
  EXPECT_EQ(nearest_generator(x, BlockKind::kNone).residual, 1.0);
}

// Any other member is farther: the difference to a projection makes an obtuse angle with every
// direction inside the cone.
TEST(NearestGenerator, ClipsGrowthForDecay) {
  const Matrix x = random_matrix();
  const NearestGenerator decay = nearest_generator(x, BlockKind::kDecay);
  const NearestGenerator growth = nearest_generator(x, BlockKind::kGrowth);
  const EigenMatrix sum = as_eigen(decay.x) + as_eigen(growth.x);
  EXPECT_LT((sum - 0.5 * (as_eigen(x) + as_eigen(x).transpose())).norm(), 1e-13);
  EXPECT_NEAR((as_eigen(decay.x) * as_eigen(growth.x)).norm(), 0.0, 1e-13);
}

TEST(NearestGenerator, RefusesFamiliesThatAreDense) {
  for (const BlockKind kind : {BlockKind::kRealJordan, BlockKind::kComplexJordan}) {
    try {
      nearest_generator(random_matrix(), kind);
      FAIL() << "expected Error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
    }
  }
  EXPECT_THROW(nearest_generator(Matrix(2, 3), BlockKind::kNone), Error);
}

}  // namespace
}  // namespace sextant
