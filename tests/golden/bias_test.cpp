// SPDX-License-Identifier: Apache-2.0
// Biases against the authors' published slopes, buckets and formulas.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "sextant/registry.h"

namespace sextant {
namespace {

double bias(const std::string& spec, Index heads, Index head, double lag, Index length = 1) {
  const auto effects = encodings().make(spec)->effects({.positions = length, .heads = heads});
  return effects.logit->at(head, lag, 0.0);
}

Vector slopes(Index heads) {
  Vector result;
  for (Index h = 0; h < heads; ++h) result.push_back(-bias("alibi", heads, h, 1.0));
  return result;
}

void expect_near(const Vector& found, const Vector& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], tolerance) << "head " << i;
}

// Press et al.'s get_slopes.
TEST(AlibiGolden, Slopes) {
  EXPECT_EQ(slopes(8),
            (Vector{0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625}));
  EXPECT_EQ(slopes(6), (Vector{0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125}));
  EXPECT_EQ(slopes(3), (Vector{0.0625, 0.00390625, 0.25}));
  EXPECT_EQ(slopes(1), (Vector{0.00390625}));
  expect_near(slopes(12),
              {0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625, 0.70710678,
               0.35355339, 0.1767767, 0.088388348},
              5e-9);
}

TEST(AlibiGolden, SlopesOfAnyHeadCountAreDistinctAndBelowOne) {
  for (Index heads = 1; heads <= 128; ++heads) {
    const Vector all = slopes(heads);
    EXPECT_EQ(std::set<double>(all.begin(), all.end()).size(), static_cast<std::size_t>(heads));
    for (const double m : all) EXPECT_TRUE(m > 0.0 && m < 1.0);
  }
}

TEST(AlibiGolden, TwoSidedAndCausal) {
  EXPECT_EQ(bias("alibi(slope=0.5)", 1, 0, -3.0), -1.5);
  EXPECT_EQ(bias("alibi(slope=0.5)", 1, 0, 3.0), -1.5);
  EXPECT_EQ(bias("alibi(slope=0.5,causal=1)", 1, 0, 3.0), -1.5);
  EXPECT_EQ(bias("alibi(slope=0.5,causal=1)", 1, 0, -1.0),
            -std::numeric_limits<double>::infinity());
}

TEST(AlibiGolden, SchedulesStartAtTheTrainedLength) {
  for (const char* schedule : {"inverse", "sqrt", "log"}) {
    const std::string spec = std::string("alibi(slope=0.5,length=64,schedule=") + schedule + ")";
    EXPECT_EQ(bias(spec, 1, 0, 2.0, 64), -1.0) << schedule;
  }
  EXPECT_DOUBLE_EQ(bias("alibi(slope=0.5,length=64,schedule=inverse)", 1, 0, 2.0, 256), -0.25);
  EXPECT_DOUBLE_EQ(bias("alibi(slope=0.5,length=64,schedule=sqrt)", 1, 0, 2.0, 256), -0.5);
  EXPECT_DOUBLE_EQ(bias("alibi(slope=0.5,length=64,schedule=log)", 1, 0, 2.0, 4096), -0.5);
}

// With the last coordinates (1, 0) and (0, -1) the lifted group gives the bias itself.
TEST(AlibiLiftGolden, IsTheBiasOfTheSignedLag) {
  const Extent extent{.dim = 4};
  const auto effects = encodings().make("alibi_lift(slope=0.25)")->effects(extent);
  for (const double lag : {0.0, 1.0, 17.0, -5.0})
    EXPECT_EQ(pair_form(effects, extent, 0, lag, 0.0)(Vector{0, 0, 1, 0}, Vector{0, 0, 0, -1}),
              -0.25 * lag);
}

// Bucket b holds the value b when the table of one head is 0, 1, 2, ...
Index bucket(const std::string& spec, Index buckets, double lag) {
  Tensor values{.shape = {buckets, 1}, .values = {}};
  for (Index b = 0; b < buckets; ++b) values.values.push_back(static_cast<double>(b));
  const auto effects = encodings().make(spec, {{"file", values}})->effects({.heads = 1});
  return static_cast<Index>(effects.logit->at(0, lag, 0.0));
}

// Raffel et al.; the borders as whole numbers, by integer arithmetic: bucket exact + k opens at the
// smallest n with n^steps >= exact^steps (distance/exact)^k.
TEST(T5Golden, BidirectionalBucketsOpenAtTheirBorders) {
  const Index opens[] = {8, 12, 16, 23, 32, 46, 64, 91};
  for (Index n = 0; n < 8; ++n) EXPECT_EQ(bucket("t5", 32, static_cast<double>(n)), n);
  for (Index k = 0; k < 8; ++k) {
    EXPECT_EQ(bucket("t5", 32, static_cast<double>(opens[k])), 8 + k);
    EXPECT_EQ(bucket("t5", 32, static_cast<double>(opens[k] - 1)), 7 + k);
    EXPECT_EQ(bucket("t5", 32, static_cast<double>(-opens[k])), 24 + k) << "keys ahead: +16";
  }
  EXPECT_EQ(bucket("t5", 32, 1e6), 15);
  EXPECT_EQ(bucket("t5", 32, -1.0), 17);
}

TEST(T5Golden, CausalBucketsOpenAtTheirBorders) {
  const Index opens[] = {16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113};
  for (Index n = 0; n < 16; ++n) EXPECT_EQ(bucket("t5(causal=1)", 32, static_cast<double>(n)), n);
  for (Index k = 0; k < 16; ++k) {
    EXPECT_EQ(bucket("t5(causal=1)", 32, static_cast<double>(opens[k])), 16 + k);
    EXPECT_EQ(bucket("t5(causal=1)", 32, static_cast<double>(opens[k] - 1)), 15 + k);
  }
  EXPECT_EQ(bucket("t5(causal=1)", 32, -5.0), 0);
}

TEST(KerpleGolden, LogarithmAndPower) {
  EXPECT_DOUBLE_EQ(bias("kerple(r1=2,r2=0.5)", 1, 0, 8.0), -2.0 * std::log(5.0));
  EXPECT_DOUBLE_EQ(bias("kerple(kind=power,r1=3,r2=0.5)", 1, 0, -16.0), -12.0);
  EXPECT_EQ(bias("kerple(kind=power)", 1, 0, 0.0), 0.0);
  EXPECT_DOUBLE_EQ(bias("kerple(r1=1:2,r2=1)", 2, 1, 1.0), -2.0 * std::log(2.0));
}

TEST(SandwichGolden, IsTheInnerProductOfSinusoidalRows) {
  const auto rows = encodings().make("sinusoidal")->effects({.dim = 32});
  Vector a(32), b(32);
  rows.input->row(40.0, a);
  rows.input->row(13.0, b);
  double product = 0.0;
  for (std::size_t i = 0; i < 32; ++i) product += a[i] * b[i];
  for (Index h = 0; h < 4; ++h)
    EXPECT_NEAR(bias("sandwich(width=32)", 4, h, 27.0),
                product * 4.0 / (8.0 * static_cast<double>(h + 1)), 1e-13);
}

// f(x) = relu(x) with one hidden unit: the bias is psi(lag)/psi(max(L, s)) itself.
TEST(FireGolden, NormalisesByTheLaterOfThresholdAndQuery) {
  const Tensor identity{.shape = {1, 4}, .values = {1.0, 0.0, 1.0, 0.0}};
  const auto effects = encodings()
                           .make("fire(hidden=1,c=0.5,threshold=8)", {{"file", identity}})
                           ->effects({.heads = 1});
  EXPECT_DOUBLE_EQ(effects.logit->at(0, 4.0, 2.0), std::log(2.0) / std::log(5.0));
  EXPECT_DOUBLE_EQ(effects.logit->at(0, 20.0, 12.0), std::log(5.0) / std::log(11.0));
}

TEST(ShawGolden, QueryMeetsTheVectorOfTheClippedLag) {
  Tensor vectors{.shape = {5, 2}, .values = {0, 10, 1, 11, 2, 12, 3, 13, 4, 14}};
  const auto effects = encodings().make("shaw", {{"file", vectors}})->effects({.dim = 2});
  EXPECT_EQ(effects.key_offset->at(0, 5.0, 5.0).u, (Vector{2, 12}));
  EXPECT_EQ(effects.key_offset->at(0, 6.0, 5.0).u, (Vector{3, 13}));
  EXPECT_EQ(effects.key_offset->at(0, 0.0, 50.0).u, (Vector{0, 10}));
}

// Dai et al., equation of section 3.3, multiplied out with W = I.
TEST(XlGolden, FourTerms) {
  Tensor values{.shape = {4, 2}, .values = {0.5, -1.0, 2.0, 0.25, 1.0, 0.0, 0.0, 1.0}};
  const Extent extent{.dim = 2};
  const auto effects = encodings().make("xl", {{"file", values}})->effects(extent);
  const Vector q = {3.0, -2.0}, k = {0.5, 4.0};
  const double r[] = {std::sin(7.0), std::cos(7.0)};
  const double expected =
      (q[0] + 0.5) * k[0] + (q[1] - 1.0) * k[1] + (q[0] + 2.0) * r[0] + (q[1] + 0.25) * r[1];
  EXPECT_NEAR(pair_form(effects, extent, 0, 9.0, 2.0)(q, k), expected, 1e-14);
}

}  // namespace
}  // namespace sextant
