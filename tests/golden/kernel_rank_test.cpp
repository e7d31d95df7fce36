// SPDX-License-Identifier: Apache-2.0
// Numerical Hankel ranks of well-known kernels from 64 samples, at tolerances 1e-8 and 1e-3
// relative to the largest singular value: 32 rows and 33 columns, all samples once or more.
#include <gtest/gtest.h>

#include <cmath>

#include "sextant/classify.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

constexpr Index kSamples = 64;

Index rank_at(const KernelCertificate& certificate, double tolerance) {
  for (const KernelCertificate::Rank& rank : certificate.hankel)
    if (rank.tolerance == tolerance) return rank.rank;
  return -1;
}

template <typename Kernel>
KernelCertificate certified(const Kernel& kernel) {
  Vector k;
  for (Index lag = 0; lag < kSamples; ++lag) k.push_back(kernel(static_cast<double>(lag)));
  return certify_kernel(k);
}

void expect_ranks(const KernelCertificate& c, Index fine, Index coarse) {
  EXPECT_EQ(rank_at(c, 1e-8), fine);
  EXPECT_EQ(rank_at(c, 1e-3), coarse);
}

TEST(HankelRank, IsTwoForARotaryPlane) {
  const KernelCertificate c = certified([](double lag) { return std::cos(0.3 * lag); });
  for (const KernelCertificate::Rank& rank : c.hankel) EXPECT_EQ(rank.rank, 2);
}

TEST(HankelRank, IsTwoForOneSidedLinearBias) {
  const KernelCertificate c = certified([](double lag) { return -lag; });
  for (const KernelCertificate::Rank& rank : c.hankel) EXPECT_EQ(rank.rank, 2);
}

TEST(HankelRank, IsFourForAComplexBlockOfOrderTwo) {
  const KernelCertificate c =
      certified([](double lag) { return (1.0 + 0.1 * lag) * std::cos(0.3 * lag); });
  EXPECT_EQ(rank_at(c, 1e-8), 4);
}

TEST(HankelRank, IsFifteenAndTwelveForRopeOfWidthSixtyFour) {
  expect_ranks(certified([](double lag) {
                 double sum = 0.0;
                 for (int k = 0; k < 32; ++k) sum += std::cos(lag * std::pow(1e4, -2.0 * k / 64.0));
                 return sum;
               }),
               15, 12);
}

TEST(HankelRank, IsEightAndThreeForTheLogarithm) {
  const KernelCertificate c = certified([](double lag) { return -std::log1p(lag); });
  expect_ranks(c, 8, 3);
  EXPECT_FALSE(c.finite);
}

TEST(HankelRank, IsNineAndFourForAGaussian) {
  expect_ranks(certified([](double lag) { return std::exp(-lag * lag / 128.0); }), 9, 4);
}

TEST(HankelRank, IsFullForBuckets) {
  const auto t5 = encodings().make("t5");
  const Extent extent{.positions = kSamples, .dim = 8, .heads = 1};
  const Effects effects = t5->effects(extent);
  const KernelCertificate c = certified([&](double lag) { return effects.logit->at(0, lag, 0.0); });
  expect_ranks(c, 32, 32);
}

}  // namespace
}  // namespace sextant
