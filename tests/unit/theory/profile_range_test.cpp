// SPDX-License-Identifier: Apache-2.0
// What counts as training: the range of each measure, and the keys of the tail.
#include <gtest/gtest.h>

#include <cmath>

#include "sextant/profile.h"
#include "sextant/registry.h"
#include "support/departure.h"

namespace sextant {
namespace {

EncodingProfile profile(const std::string& spec, Index train, Index to, Index dim,
                        const TensorMap& tensors = {}) {
  return extrapolation_profile(*encodings().make(spec, tensors),
                               {.train = train, .to = to, .dim = dim});
}

// Rows 0, 1, 3, 2 of width 1 with content 1: z(s, t) = (1 + p_s)(1 + p_t). Pairs of training have
// 1, 2 and 4; query 2 has 4, 8 and 16.
TEST(RangeOfTraining, HasAllPairsOfTrainingForTheLogit) {
  const Tensor rows{.shape = {4, 1}, .values = {0, 1, 3, 2}};
  const EncodingProfile result = profile("table", 2, 4, 1, {{"file", rows}});
  EXPECT_DOUBLE_EQ(departure(result, "logit").low, 1.0);
  EXPECT_DOUBLE_EQ(departure(result, "logit").high, 4.0);
  EXPECT_EQ(departure(result, "logit").position, 2);
  // z(2, 0) = 4 is within the range: another key departs.
  EXPECT_DOUBLE_EQ(result.points[2].logit, 4.0);
}

// P_k(-1) = (-1)^k: at position 0 half of the coordinates are 2 and half are 0, so that z(0, 0) is
// 32 * 4 / 8 = 16; at N all of them are 2, and z(N, N) = 64 * 4 / 8 = 32.
TEST(RangeOfTraining, LeavesClampedLegendreRowsAtOnce) {
  const EncodingProfile result = profile("legendre(train=64)", 64, 512, 64);
  const auto logit = departure(result, "logit");
  EXPECT_EQ(logit.position, 64);
  EXPECT_NEAR(logit.high, 16.0, 1e-12);
  EXPECT_LT(logit.low, 16.0);
  EXPECT_NEAR(result.points[0].logit, 16.0, 1e-12);
  EXPECT_NEAR(result.points[100].logit, 16.0, 1e-12);  // 64 * 2 * 1 / 8: half of x_0 is 2
}

TEST(RangeOfTraining, IsThatOfTheLagsForTheLogitOfARelativeEncoding) {
  const EncodingProfile result = profile("alibi(slope=0.25)", 50, 200, 64);
  const auto logit = departure(result, "logit");
  EXPECT_NEAR(logit.high, 8.0, 1e-12);
  EXPECT_NEAR(logit.low, 8.0 - 0.25 * 49, 1e-12);
  EXPECT_EQ(logit.position, 50);
}

// FIRE scales the lag by the query: with f(x) = -3 max(x, 0) every query past the threshold has a
// bias of 0 at itself and of -3 at the first key, in training and beyond.
TEST(RangeOfTraining, IsNotLeftByABiasThatScalesTheLag) {
  const Tensor network{.shape = {1, 4}, .values = {1, 0, -3, 0}};
  const EncodingProfile result =
      profile("fire(threshold=8,hidden=1)", 32, 128, 64, {{"file", network}});
  const auto logit = departure(result, "logit"), norm = departure(result, "norm");
  EXPECT_FALSE(logit.position);
  EXPECT_NEAR(logit.low, 5.0, 1e-12);
  EXPECT_NEAR(logit.high, 8.0, 1e-12);
  EXPECT_FALSE(norm.position);
  EXPECT_NEAR(norm.high, 3.0, 1e-12);
  EXPECT_NEAR(result.points[127].logit, 5.0, 1e-12);
  EXPECT_EQ(result.distinct, 128);  // the last query tells all lags apart
}

// Rows of two rotations, rounded to float.
TEST(RangeOfTraining, IsNotLeftByTheRoundingOfFloats) {
  Tensor rows{.shape = {200, 4}, .values = {}};
  for (int t = 0; t < 200; ++t)
    for (const double w : {1.0, 0.1})
      for (const double value : {std::sin(w * t), std::cos(w * t)})
        rows.values.push_back(static_cast<double>(static_cast<float>(value)));
  const EncodingProfile result = profile("table", 50, 200, 4, {{"file", rows}});
  for (const char* measure : {"norm", "gram_drift"})
    EXPECT_FALSE(departure(result, measure).position) << measure;
}

// All rows from N on are equal, and so are the weights of their keys; those of training differ.
TEST(TailBeyondTraining, LooksAtNewRowsOfATable) {
  const EncodingProfile result = profile("legendre(train=64)", 64, 512, 64);
  EXPECT_EQ(result.tail, Tail::kFlat);
  EXPECT_EQ(result.roughness, 0.0);
  EXPECT_GT(result.weights[0], 2.0 * result.weights[511]);
  // Of queries up to 63 nothing is new; of query 64 its own key, of query t keys 64 to t.
  EXPECT_EQ(result.points[63].weight_beyond, 0.0);
  EXPECT_GT(result.points[64].weight_beyond, 0.9);
  double near = 0.0;
  for (std::size_t lag = 0; lag < 512 - 64; ++lag) near += result.weights[lag];
  EXPECT_NEAR(result.points[511].weight_beyond, near, 1e-12);
}

TEST(TailBeyondTraining, LooksAtNewLagsOfARelativeEncoding) {
  const Tensor lags{.shape = {9, 1}, .values = {0, 0, 0, 0, 0, -1, -2, -3, -4}};  // -4..4
  const EncodingProfile result = profile("bias", 4, 16, 8, {{"file", lags}});
  EXPECT_EQ(result.tail, Tail::kFlat);
  EXPECT_NEAR(result.points[15].weight_beyond, 12.0 * result.weights[4], 1e-12);
}

TEST(TailBeyondTraining, IsUndefinedWithFewerThanFourSteps) {
  EXPECT_EQ(profile("alibi", 16, 20, 8).tail, Tail::kUndefined);
  EXPECT_EQ(profile("alibi", 16, 21, 8).tail, Tail::kDecays);
  EXPECT_EQ(profile("sinusoidal", 16, 20, 8).tail, Tail::kUndefined);
}

}  // namespace
}  // namespace sextant
