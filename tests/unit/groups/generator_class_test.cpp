// SPDX-License-Identifier: Apache-2.0
// What classify_generator says of generators whose exponentials are known.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sextant/classify.h"
#include "support/expect_error.h"
#include "support/jordan_matrix.h"

namespace sextant {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

GeneratorClass of_blocks(const std::vector<BlockFamily>& blocks) {
  return classify_generator(jordan_matrix(blocks));
}

Matrix one_by_one(double value) {
  Matrix x(1, 1);
  x(0, 0) = value;
  return x;
}

std::vector<BlockFamily> rope(Index dim) {
  std::vector<BlockFamily> result;
  for (Index j = 0; j < dim / 2; ++j)
    result.push_back(
        block(0.0, std::pow(1e4, -2.0 * static_cast<double>(j) / static_cast<double>(dim - 2))));
  return result;
}

TEST(GeneratorClass, OfZeroIsNoneInEveryCoordinate) {
  const GeneratorClass found = classify_generator(Matrix(5, 5));
  ASSERT_EQ(found.families.size(), 1U);
  EXPECT_EQ(found.families[0].kind, BlockKind::kNone);
  EXPECT_EQ(found.families[0].size, 1);
  EXPECT_EQ(found.families[0].count, 5);
  EXPECT_EQ(found.stability, Stability::kBounded);
  EXPECT_TRUE(found.norm_preserving);
  EXPECT_FALSE(found.needs_causal_mask);
  EXPECT_EQ(found.overflow.f16, kInfinity);
  EXPECT_EQ(found.split_overflow.f16, kInfinity);
  EXPECT_EQ(found.closed_form, "1 (x5)");
}

TEST(GeneratorClass, OfRopeIsOneRotationPerPlaneDownToTheSlowest) {
  for (const Index dim : {64, 128}) {
    const std::vector<BlockFamily> planes = rope(dim);
    const GeneratorClass found = classify_generator(similar(jordan_matrix(planes), 1.0, 1));
    ASSERT_EQ(found.families.size(), planes.size());
    for (std::size_t j = 0; j < planes.size(); ++j) {
      const BlockFamily& plane = found.families[planes.size() - 1 - j];  // by rising frequency
      EXPECT_EQ(plane.kind, BlockKind::kRotation);
      EXPECT_EQ(plane.count, 1);
      EXPECT_NEAR(plane.frequency, planes[j].frequency, 1e-13);
    }
    EXPECT_FALSE(found.ambiguous);
    EXPECT_TRUE(found.norm_preserving);
    EXPECT_EQ(found.stability, Stability::kBounded);
    EXPECT_EQ(found.overflow.f16, kInfinity);
    for (const GeneratorClass::At& at : found.conditioning) {
      EXPECT_NEAR(at.norm, 1.0, 1e-10);
      EXPECT_NEAR(at.condition, 1.0, 1e-10);
    }
    EXPECT_EQ(found.conditioning.size(), 11U);
    EXPECT_NE(found.closed_form.find("... "), std::string::npos);
  }
}

TEST(GeneratorClass, SlowRotationsAreOneWhereTheNoiseHidesTheDifference) {
  // 1e-4 and 1.2e-4 beside 1: at noise 1e-4 they are equal, or even zero.
  const std::vector<BlockFamily> planes = {block(0, 1.0), block(0, 1e-4), block(0, 1.2e-4)};
  EXPECT_EQ(of_blocks(planes).families.size(), 3U);
  EXPECT_EQ(classify_generator(jordan_matrix(planes), {.noise = 1e-4}).families.size(), 2U);
}

TEST(GeneratorClass, StabilityFollowsTheBlocksInBothDirections) {
  const auto decay = of_blocks({block(-0.1, 0), block(-0.2, 1)});
  EXPECT_EQ(decay.stability, Stability::kDecays);
  EXPECT_EQ(decay.stability_back, Stability::kGrowsExponentially);
  EXPECT_TRUE(decay.needs_causal_mask);

  const auto alibi = of_blocks({block(0, 0, 2)});
  EXPECT_EQ(alibi.stability, Stability::kGrowsPolynomially);
  EXPECT_EQ(alibi.stability_back, Stability::kGrowsPolynomially);
  EXPECT_TRUE(alibi.needs_causal_mask);
  EXPECT_FALSE(alibi.norm_preserving);

  const auto mixed = of_blocks({block(-0.1, 0, 3), block(0, 1)});
  EXPECT_EQ(mixed.stability, Stability::kBounded);

  const auto growth = of_blocks({block(0.1, 0), block(0, 0, 2)});
  EXPECT_EQ(growth.stability, Stability::kGrowsExponentially);
  EXPECT_EQ(growth.stability_back, Stability::kGrowsPolynomially);

  // Similar to a rotation, but no rotation: bounded without preserving norms.
  const std::vector<BlockFamily> rotation = {block(0, 1), block(0, 0.5)};
  const auto skewed = classify_generator(similar(jordan_matrix(rotation), 20.0, 2));
  EXPECT_EQ(skewed.stability, Stability::kBounded);
  EXPECT_FALSE(skewed.norm_preserving);
  EXPECT_FALSE(skewed.needs_causal_mask);
}

TEST(GeneratorClass, HorizonsOfExponentialsAreLogarithmsOfTheLargestNumbers) {
  const auto growth = of_blocks({block(0.25, 1.0)});
  EXPECT_NEAR(growth.overflow.f16, 4.0 * std::log(65504.0), 0.01);
  EXPECT_NEAR(growth.overflow.bf16, 4.0 * std::log(0x1.fep127), 0.05);
  EXPECT_NEAR(growth.overflow.f32, 4.0 * std::log(FLT_MAX), 0.05);
  EXPECT_NEAR(growth.overflow.f64, 4.0 * std::log(DBL_MAX), 0.5);
  EXPECT_EQ(growth.vanishing.f16, kInfinity);

  const auto decay = of_blocks({block(-0.5, 0), block(-2, 0)});
  EXPECT_EQ(decay.overflow.f16, kInfinity);
  EXPECT_NEAR(decay.vanishing.f16, -2.0 * std::log(0x1p-14), 0.01);
  EXPECT_NEAR(decay.vanishing.f32, -2.0 * std::log(FLT_MIN), 0.05);
  EXPECT_NEAR(decay.vanishing.f64, -2.0 * std::log(DBL_MIN), 0.5);
  EXPECT_NEAR(decay.split_overflow.f16, 11.0899 / 2.0, 1e-3);
  EXPECT_NEAR(decay.split_overflow.f32, 88.7228 / 2.0, 1e-3);
  EXPECT_NEAR(decay.split_overflow.f64, 709.7827 / 2.0, 1e-3);
}

TEST(GeneratorClass, HorizonsOfChainsArePowers) {
  // |exp(t N)| is t for two links and t^2 / 2 for three, up to a part 1/t.
  const auto two = of_blocks({block(0, 0, 2)});
  EXPECT_NEAR(two.overflow.f16 / 65504.0, 1.0, 2e-3);
  EXPECT_NEAR(two.overflow.f32 / FLT_MAX, 1.0, 2e-3);
  const auto three = of_blocks({block(0, 0, 3)});
  EXPECT_NEAR(three.overflow.f16 / std::sqrt(2.0 * 65504.0), 1.0, 2e-3);
  EXPECT_NEAR(three.overflow.f32 / std::sqrt(2.0 * double{FLT_MAX}), 1.0, 2e-3);
}

TEST(GeneratorClass, HorizonKnowsTheBasisAndTheSwellBeforeADecay) {
  // exp(t [[-1, c], [0, -2]]) has the entry c (u - u^2) with u = e^-t: at most c/4, then it ebbs.
  Matrix x(2, 2);
  x(0, 0) = -1.0;
  x(0, 1) = 5e5;
  x(1, 1) = -2.0;
  // Relative to c the eigenvalues are close: noise of 1e-12 would hide that they are two.
  const auto found = classify_generator(x, {.noise = 1e-15});
  EXPECT_EQ(found.stability, Stability::kDecays);
  EXPECT_EQ(found.families.size(), 2U);
  const double u = 0.5 * (1.0 + std::sqrt(1.0 - 4.0 * 65504.0 / 5e5));
  EXPECT_NEAR(found.overflow.f16, -std::log(u), 2e-3);
  EXPECT_EQ(found.overflow.f32, kInfinity);
  EXPECT_NEAR(found.vanishing.f16, std::log(5e5) - std::log(0x1p-14), 0.05);
  EXPECT_NEAR(found.vanishing.f32, std::log(5e5) - std::log(FLT_MIN), 0.1);
}

TEST(GeneratorClass, ConditionOfADecayIsTheRatioOfItsEnds) {
  const auto found = of_blocks({block(-0.01, 0), block(-0.02, 0)});
  ASSERT_EQ(found.conditioning.size(), 11U);
  for (const GeneratorClass::At& at : found.conditioning) {
    EXPECT_NEAR(at.norm / std::exp(-0.01 * at.lag), 1.0, 1e-11);
    EXPECT_NEAR(at.condition / std::exp(0.01 * at.lag), 1.0, 1e-8);
  }
}

TEST(GeneratorClass, ScaleChangesTheNumbersAlone) {
  const std::vector<BlockFamily> blocks = {block(-0.3, 0, 2), block(0, 1)};
  for (const double scale : {1e300, 1e-300}) {
    Matrix x = similar(jordan_matrix(blocks), 5.0, 3);
    for (double& value : x.values()) value *= scale;
    const auto found = classify_generator(x);
    ASSERT_EQ(found.families.size(), 2U);
    EXPECT_EQ(found.families[0].kind, BlockKind::kRealJordan);
    EXPECT_NEAR(found.families[0].decay / scale, -0.3, 1e-11);
    EXPECT_EQ(found.families[1].kind, BlockKind::kRotation);
    EXPECT_NEAR(found.families[1].frequency / scale, 1.0, 1e-11);
  }
}

TEST(GeneratorClass, OfOneNumberIsItsSign) {
  EXPECT_EQ(classify_generator(one_by_one(-2.0)).families[0].kind, BlockKind::kDecay);
  EXPECT_EQ(classify_generator(one_by_one(2.0)).families[0].kind, BlockKind::kGrowth);
  EXPECT_EQ(classify_generator(one_by_one(2.0)).families[0].decay, 2.0);
  EXPECT_EQ(classify_generator(one_by_one(0.0)).families[0].kind, BlockKind::kNone);
}

TEST(GeneratorClass, ManyEqualEigenvaluesAreOneFamily) {
  // u v^T has the eigenvalue v.u once and 0 otherwise.
  const Index dim = 60;
  const Matrix u = random_normal(dim, 1, Rng(5, 0)), v = random_normal(1, dim, Rng(5, 1));
  const auto found = classify_generator(product(u, v));
  ASSERT_EQ(found.families.size(), 2U);
  const std::size_t zero = found.families[0].kind == BlockKind::kNone ? 0 : 1;
  EXPECT_EQ(found.families[zero].kind, BlockKind::kNone);
  EXPECT_EQ(found.families[zero].count, dim - 1);
  EXPECT_NEAR(found.families[1 - zero].decay, product(v, u)(0, 0), 1e-12 * found.norm);
}

TEST(GeneratorClass, ProgressRisesToOne) {
  double last = 0.0;
  const std::vector<BlockFamily> planes = rope(64);
  classify_generator(jordan_matrix(planes), {.progress = [&](double part) {
                       EXPECT_GE(part, last);
                       last = part;
                     }});
  EXPECT_EQ(last, 1.0);
}

TEST(GeneratorClass, ProgressNeverFallsWhereEigenvaluesAreJoined) {
  // Three chains: each is found after sets of fewer eigenvalues have failed.
  const std::vector<BlockFamily> chains = {block(0, 0, 4), block(0, 1, 3), block(-0.6, 0.5, 2)};
  double last = 0.0;
  const GeneratorClass found =
      classify_generator(with_noise(similar(jordan_matrix(chains), 10.0, 1), 1e-8, 1),
                         {.noise = 1e-8, .progress = [&](double part) {
                            EXPECT_GE(part, last);
                            last = part;
                          }});
  EXPECT_EQ(last, 1.0);
  EXPECT_EQ(found.families.size(), chains.size());
}

TEST(GeneratorClass, RefusesALongChainBeforeTheWork) {
  // As many null spaces as links, of up to as many rows: 700^4 / 4 from either side.
  expect_error(ErrorCode::kRefused, "minutes or more", [] { of_blocks({block(0, 0, 700)}); });
}

TEST(GeneratorClass, RefusesWhatIsNoGenerator) {
  expect_error(ErrorCode::kUsage, "must be square but got 2 x 3",
               [] { classify_generator(Matrix(2, 3)); });
  expect_error(ErrorCode::kUsage, "must have at least one row but got none",
               [] { classify_generator(Matrix()); });
  expect_error(ErrorCode::kUsage, "must be at most",
               [] { classify_generator(Matrix(kMostGenerator + 1, kMostGenerator + 1)); });
  expect_error(ErrorCode::kUsage, "noise must be in [0, 1) but got -1",
               [] { classify_generator(Matrix(2, 2), {.noise = -1.0}); });
  for (const double bad : {kInfinity, std::nan("")})
    expect_error(ErrorCode::kNumeric, "must be finite but got",
                 [&] { classify_generator(one_by_one(bad)); });
  Matrix huge(2, 2);
  for (double& value : huge.values()) value = DBL_MAX;
  expect_error(ErrorCode::kNumeric, "norm must be at most", [&] { classify_generator(huge); });
}

TEST(Families, AreNamedInWordsAndFormulas) {
  const std::vector<BlockFamily> blocks = {block(0, 0.5, 1, 2), block(-0.1, 0, 2)};
  EXPECT_EQ(describe(blocks), "rotation 0.5 (x2), real Jordan of order 2 at -0.1");
  EXPECT_EQ(describe({}), "");
  EXPECT_EQ(of_blocks({block(-0.125, 0.5, 2)}).closed_form,
            "e^(-0.125 lag) R(0.5 lag) [1, lag; 0, 1]");
  EXPECT_EQ(of_blocks({block(0, 0, 1, 2), block(0, 1)}).closed_form, "1 (x2) (+) R(1 lag)");
  EXPECT_EQ(name(BlockKind::kComplexJordan), "complex Jordan");
  EXPECT_EQ(name(Stability::kGrowsPolynomially), "grows polynomially");
}

}  // namespace
}  // namespace sextant
