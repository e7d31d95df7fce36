// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/rng.h"
#include "sextant/classify.h"
#include "sextant/error.h"
#include "support/expect_error.h"
#include "support/sampled_kernel.h"

namespace sextant {
namespace {

TEST(CertifyKernel, FindsTheExponentsOfADampedRotation) {
  const auto k = sampled(40, [](double lag) { return std::exp(-0.1 * lag) * std::cos(0.7 * lag); });
  const KernelCertificate c = certify_kernel(k);
  ASSERT_TRUE(c.finite) << c.reason;
  ASSERT_EQ(c.exponents.size(), 1u);
  EXPECT_EQ(c.exponents[0].kind, BlockKind::kSpiral);
  EXPECT_NEAR(c.exponents[0].decay, -0.1, 1e-9);
  EXPECT_NEAR(c.exponents[0].frequency, 0.7, 1e-9);
  EXPECT_LT(c.residual, 1e-9);
  EXPECT_TRUE(c.toeplitz.empty());
}

TEST(CertifyKernel, FindsAJordanBlock) {
  const auto k = sampled(40, [](double lag) { return (2.0 + lag) * std::cos(0.4 * lag); });
  const KernelCertificate c = certify_kernel(k);
  ASSERT_TRUE(c.finite) << c.reason;
  ASSERT_EQ(c.exponents.size(), 1u);
  EXPECT_EQ(c.exponents[0].kind, BlockKind::kComplexJordan);
  EXPECT_EQ(c.exponents[0].size, 2);
  EXPECT_NEAR(c.exponents[0].frequency, 0.4, 1e-8);
}

TEST(CertifyKernel, TakesALinearBiasForANilpotentBlock) {
  const KernelCertificate c = certify_kernel(sampled(64, [](double lag) { return -0.5 * lag; }));
  ASSERT_TRUE(c.finite) << c.reason;
  ASSERT_EQ(c.exponents.size(), 1u);
  EXPECT_EQ(c.exponents[0].kind, BlockKind::kRealJordan);
  EXPECT_EQ(c.exponents[0].decay, 0.0);
}

TEST(CertifyKernel, TakesASignPerStepForHalfATurn) {
  const KernelCertificate c = certify_kernel(
      sampled(16, [](double lag) { return std::cos(std::numbers::pi * lag) + 0.5; }));
  ASSERT_TRUE(c.finite) << c.reason;
  ASSERT_EQ(c.exponents.size(), 2u);
  const double highest = std::max(c.exponents[0].frequency, c.exponents[1].frequency);
  EXPECT_NEAR(highest, std::numbers::pi, 1e-9);
}

TEST(CertifyKernel, SeesASumThroughNoise) {
  auto k = sampled(64, [](double lag) { return std::cos(0.5 * lag); });
  const Rng rng(3, 0);
  for (std::size_t i = 0; i < k.size(); ++i) k[i] += 1e-4 * rng.normal(i);
  const KernelCertificate c = certify_kernel(k, {}, {.noise = 1e-4});
  ASSERT_TRUE(c.finite) << c.reason;
  ASSERT_EQ(c.exponents.size(), 1u);
  EXPECT_NEAR(c.exponents[0].frequency, 0.5, 1e-4);
}

TEST(CertifyKernel, RefusesSmoothKernelsOfNoFiniteRank) {
  EXPECT_FALSE(certify_kernel(sampled(64, [](double lag) { return -std::log1p(lag); })).finite);
  EXPECT_FALSE(
      certify_kernel(sampled(64, [](double lag) { return std::exp(-lag * lag / 128.0); })).finite);
  EXPECT_FALSE(certify_kernel(sampled(64, [](double lag) { return 1.0 / (1.0 + lag); })).finite);
}

TEST(CertifyKernel, SaysThatAKernelThatEndsIsNoGroup) {
  const KernelCertificate c =
      certify_kernel(sampled(32, [](double lag) { return lag < 3.0 ? 3.0 - lag : 0.0; }));
  EXPECT_FALSE(c.finite);
  EXPECT_NE(c.reason.find("ends"), std::string::npos) << c.reason;
}

TEST(CertifyKernel, TellsOneSideFromTwo) {
  const auto distance = [](double lag) { return -std::abs(lag); };
  const Vector behind = sampled(64, distance), ahead = sampled(64, distance, -1.0);
  EXPECT_TRUE(certify_kernel(behind).finite);
  const KernelCertificate both = certify_kernel(behind, ahead);
  EXPECT_FALSE(both.finite);
  EXPECT_EQ(both.hankel.front().rank, 2);
  EXPECT_EQ(both.toeplitz.front().rank, 64);

  const auto turn = [](double lag) { return std::cos(0.3 * lag); };
  const KernelCertificate even = certify_kernel(sampled(64, turn), sampled(64, turn, -1.0));
  EXPECT_TRUE(even.finite) << even.reason;
  for (const KernelCertificate::Rank& rank : even.toeplitz) EXPECT_EQ(rank.rank, 2);
}

TEST(CertifyKernel, DoesNotDependOnTheScale) {
  for (const double scale : {1e300, 1e-300}) {
    Vector k;
    for (int lag = 0; lag < 32; ++lag) k.push_back(scale * std::cos(0.4 * lag));
    const KernelCertificate found = certify_kernel(k);
    EXPECT_TRUE(found.finite) << found.reason;
    EXPECT_EQ(found.hankel.front().rank, 2);
  }
}

TEST(CertifyKernel, OfZeroIsEmpty) {
  const KernelCertificate c = certify_kernel(Vector(8));
  EXPECT_TRUE(c.finite);
  EXPECT_TRUE(c.exponents.empty());
}

TEST(CertifyKernel, GivesTheRankThatDecidesFirst) {
  // A second exponent 1e-11 as large: below 30 times the noise of 1e-12, above the noise.
  const auto k = sampled(64, [](double lag) { return 1.0 + 1e-11 * std::cos(2.0 * lag); });
  const KernelCertificate c = certify_kernel(k, {}, {.noise = 1e-12});
  EXPECT_TRUE(c.finite) << c.reason;
  ASSERT_EQ(c.exponents.size(), 1u);
  EXPECT_EQ(c.hankel.front().rank, 1);
  EXPECT_DOUBLE_EQ(c.hankel.front().tolerance, 30e-12);
}

TEST(CertifyKernel, TakesNoMoreSamplesThanItCanDecompose) {
  for (const Index count : {kMostKernelSamples + 1, Index{100000}})
    expect_error(ErrorCode::kUsage, "samples must be 4 to 4096",
                 [&] { certify_kernel(Vector(static_cast<std::size_t>(count), 1.0)); });
}

TEST(CertifyKernel, RefusesWhatItCannotRead) {
  EXPECT_THROW(certify_kernel(Vector(3)), Error);
  EXPECT_THROW(certify_kernel(Vector(8), Vector(7)), Error);
  EXPECT_THROW(certify_kernel(Vector(8), Vector(8, 1.0)), Error);
  Vector holes(8, 1.0);
  holes[2] = std::nan("");
  try {
    certify_kernel(holes);
    FAIL() << "expected Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNumeric);
  }
}

}  // namespace
}  // namespace sextant
