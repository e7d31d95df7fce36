// SPDX-License-Identifier: Apache-2.0
#include "sextant/profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sextant/registry.h"
#include "support/departure.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

constexpr Index kTrain = 50, kTo = 200;

EncodingProfile profile(const std::string& spec, const TensorMap& tensors = {},
                        Index train = kTrain, Index to = kTo, Index dim = 64) {
  return extrapolation_profile(*encodings().make(spec, tensors),
                               {.train = train, .to = to, .dim = dim});
}

double sum(const Vector& values) {
  double total = 0.0;
  for (const double value : values) total += value;
  return total;
}

// sum of sin^2 + cos^2 over d/2 frequencies; rows t and t+1 differ by 2 sin(w/2) in each of them.
TEST(ExtrapolationProfile, KeepsTheNormAndTheStepsOfSinusoidalRows) {
  const EncodingProfile result = profile("sinusoidal");
  double step = 0.0;
  for (int j = 0; j < 32; ++j)
    step += 4.0 * std::pow(std::sin(0.5 * std::pow(10000.0, -j / 32.0)), 2);
  ASSERT_EQ(result.points.size(), 200U);
  EXPECT_EQ(result.acts, "rows");
  for (const ProfilePoint& point : result.points) {
    EXPECT_NEAR(point.norm, std::sqrt(32.0), 1e-12);
    EXPECT_NEAR(point.nearest, std::sqrt(step), 1e-12);
    EXPECT_EQ(point.collisions, 0.0);
    EXPECT_LT(point.gram_drift, 1e-12);  // p_s . p_t is a sum of cosines of the lag
  }
  EXPECT_EQ(result.distinct, kTo);
  for (const char* measure : {"norm", "nearest", "collisions", "gram_drift"})
    EXPECT_FALSE(departure(result, measure).position) << measure;
}

// |A(t)|_F^2 = d; |A(s) - A(t)|_F^2 = sum over pairs of 2 |e^(iws) - e^(iwt)|^2.
TEST(ExtrapolationProfile, MeasuresOperatorsByTheirFrobeniusNorm) {
  for (const char* spec : {"rope", "mrope", "rope(pairing=interleaved)"}) {
    const EncodingProfile result = profile(spec);
    double step = 0.0;
    for (int j = 0; j < 32; ++j)
      step += 2.0 * 4.0 * std::pow(std::sin(0.5 * std::pow(10000.0, -j / 32.0)), 2);
    for (const ProfilePoint& point : result.points) {
      EXPECT_NEAR(point.norm, 1.0, 1e-12) << spec;
      EXPECT_NEAR(point.nearest, std::sqrt(step / 64.0), 1e-12) << spec;
      EXPECT_EQ(point.gram_drift, 0.0) << spec;
    }
    // q = k = (1, ..., 1): every pair turns sqrt 2 against itself, 2 cos(w lag) over sqrt d.
    double logit = 0.0;
    for (int j = 0; j < 32; ++j) logit += 2.0 * std::cos(70.0 * std::pow(10000.0, -j / 32.0));
    EXPECT_NEAR(result.points[70].logit, logit / 8.0, 1e-12) << spec;
    EXPECT_EQ(result.tail, Tail::kErratic) << spec;
  }
}

// Blocks give the distances of whole matrices: chains of Jordan blocks, repeated blocks, bounded
// polynomials, and a generator that has no blocks.
TEST(ExtrapolationProfile, AgreesWithDenseOperators) {
  const Index d = 4;
  const Tensor x{.shape = {d, d},
                 .values = {-0.01, 0.3, 0.02, 0.0, -0.3, -0.02, 0.0, 0.1,  //
                            0.0, 0.05, -0.03, 0.2, 0.1, 0.0, -0.2, -0.01}};
  const std::pair<const char*, TensorMap> cases[] = {
      {"generator(decay=-0.05,frequency=1,size=2,coupling=0.3)", {}},
      {"generator(decay=-0.05:-0.05:0:0)", {}},
      {"jordan(regime=stabilised,scale=8)", {}},
      {"rope(scaling=yarn,factor=4,original=64)", {}},
      {"grape", {}},
      {"axial", {}},
      {"generator", {{"file", x}}},
  };
  for (const auto& [spec, tensors] : cases) {
    const auto encoding = encodings().make(spec, tensors);
    const Extent extent{.positions = 40, .dim = d, .heads = 1};
    const QueryKeyMap map = encoding->effects(extent).query_key.value();
    const EncodingProfile result =
        extrapolation_profile(*encoding, {.train = 10, .to = 40, .dim = d, .heads = 1});
    for (const Index t : {0, 7, 39}) {
      const Matrix here = map.at(static_cast<double>(t));
      double norm = 0.0, logit = 0.0, nearest = 1e300;
      for (const double value : here.values()) norm += value * value;
      for (const double value : here.values()) logit += value;
      for (Index s = 0; s < 40; ++s) {
        const Matrix there = map.at(static_cast<double>(s));
        double squared = 0.0;
        for (std::size_t i = 0; i < here.values().size(); ++i)
          squared += std::pow(here.values()[i] - there.values()[i], 2);
        if (s != t) nearest = std::min(nearest, std::sqrt(squared / 4.0));
      }
      const ProfilePoint& point = result.points[static_cast<std::size_t>(t)];
      EXPECT_NEAR(point.norm, std::sqrt(norm / 4.0), 1e-12) << spec << " " << t;
      EXPECT_NEAR(point.nearest, nearest, 1e-12) << spec << " " << t;
      EXPECT_NEAR(point.logit, logit / 2.0, 1e-12) << spec << " " << t;
    }
  }
}

// Support of D4 scaled by 2^5: from lag 3 * 32 past the last shift on the row is zero.
TEST(ExtrapolationProfile, CountsThePositionsBeyondAWaveletsSupport) {
  const EncodingProfile result = profile("wavelet(train=50)");
  Index alike = 0;
  for (const ProfilePoint& point : result.points)
    if (point.collisions > 0.0) ++alike;
  EXPECT_EQ(alike, 72);
  EXPECT_EQ(result.points.back().collisions, 71.0);
  EXPECT_EQ(result.points.back().norm, 0.0);
  EXPECT_EQ(result.distinct, kTo - 71);
  EXPECT_EQ(departure(result, "norm").position.has_value(), true);
}

// Clamped, x = 1 from position N on: P_k(1) = 1 for all k.
TEST(ExtrapolationProfile, SeesThatClampedLegendreRowsRepeat) {
  const EncodingProfile result = profile("legendre(train=50)");
  for (std::size_t t = 50; t < 200; ++t) {
    EXPECT_NEAR(result.points[t].norm, 8.0, 1e-12);
    EXPECT_EQ(result.points[t].nearest, 0.0);
    EXPECT_EQ(result.points[t].collisions, 149.0);
  }
  EXPECT_EQ(result.distinct, 51);
  EXPECT_EQ(departure(result, "collisions").position, 50);
  EXPECT_GT(result.points.back().gram_drift, 0.1);
}

// Slope m: weights (1 - r) r^lag / (1 - r^(s+1)) with r = e^-m.
TEST(ExtrapolationProfile, GivesAlibiAGeometricSeries) {
  const double m = 0.25, r = std::exp(-m);
  const EncodingProfile result = profile("alibi(slope=0.25)");
  const double total = (1.0 - std::pow(r, 200)) / (1.0 - r);
  for (const std::size_t lag : {0U, 1U, 50U, 199U}) {
    EXPECT_NEAR(result.weights[lag], std::pow(r, lag) / total, 1e-15);
    EXPECT_NEAR(result.points[lag].logit, 8.0 - m * static_cast<double>(lag), 1e-12);
    // Eight heads of one slope.
    EXPECT_NEAR(result.points[lag].norm, std::sqrt(8.0) * m * static_cast<double>(lag), 1e-12);
  }
  const ProfilePoint& last = result.points.back();
  EXPECT_NEAR(last.mean_lag, r / (1.0 - r), 1e-12);  // of the infinite series
  EXPECT_NEAR(last.weight_beyond, std::pow(r, 50), 1e-15);
  EXPECT_NEAR(std::log(last.effective_keys), -std::log(1.0 - r) + m * r / (1.0 - r), 1e-12);
  EXPECT_EQ(result.tail, Tail::kDecays);
  EXPECT_EQ(result.roughness, 0.0);
  EXPECT_EQ(departure(result, "norm").position, 50);
  // A slope that leaves nothing beyond training keeps the row of training.
  const EncodingProfile steep = profile("alibi(slope=1)");
  for (const char* measure : {"weight_beyond", "effective_keys", "mean_lag"})
    EXPECT_FALSE(departure(steep, measure).position) << measure;
  // Query 50 has r^50 (1 - r) = 8e-7 of its weight there, query 51 r^50 (1 - r^2) = 1.5e-6.
  EXPECT_EQ(departure(result, "weight_beyond").position, 51);
}

TEST(ExtrapolationProfile, IsFlatWithoutPositions) {
  const EncodingProfile result = profile("none");
  EXPECT_EQ(result.acts, "nothing");
  EXPECT_EQ(result.distinct, 1);
  EXPECT_EQ(result.tail, Tail::kFlat);
  for (const ProfilePoint& point : result.points) {
    const auto t = static_cast<double>(point.position);
    EXPECT_EQ(point.norm, 0.0);
    EXPECT_EQ(point.nearest, 0.0);
    EXPECT_EQ(point.collisions, 199.0);
    EXPECT_DOUBLE_EQ(point.logit, 8.0);
    EXPECT_NEAR(point.effective_keys, t + 1.0, 1e-9);
    EXPECT_NEAR(point.mean_lag, t / 2.0, 1e-9);
    EXPECT_NEAR(point.weight_beyond, std::max(0.0, t - 49.0) / (t + 1.0), 1e-12);
  }
  EXPECT_EQ(departure(result, "effective_keys").position, 50);
}

// (d + sum p_s + sum p_t + p_s . p_t) / sqrt d, and the same with a bias of the lag beside it: of
// the last query the weights, at the first key the logit.
TEST(ExtrapolationProfile, AddsRowsToTheContent) {
  const Tensor rows{.shape = {4, 2}, .values = {1, 0, 0, 2, -1, 1, 3, 0}};
  for (const char* spec : {"table", "table+alibi(slope=0.5)"}) {
    const EncodingProfile result = profile(spec, {{"file", rows}}, 2, 4);
    const double slope = spec == std::string("table") ? 0.0 : 0.5;
    const double expected[] = {(2 + 3 + 3 + 9) / std::sqrt(2.0), (2 + 3 + 0 - 3) / std::sqrt(2.0),
                               (2 + 3 + 2 + 0) / std::sqrt(2.0), (2 + 3 + 1 + 3) / std::sqrt(2.0)};
    const double first_key[] = {(2 + 1 + 1 + 1) / std::sqrt(2.0), (2 + 2 + 1 + 0) / std::sqrt(2.0),
                                (2 + 0 + 1 - 1) / std::sqrt(2.0), (2 + 3 + 1 + 3) / std::sqrt(2.0)};
    double total = 0.0;
    for (int lag = 0; lag < 4; ++lag) total += std::exp(expected[lag] - slope * lag);
    for (int lag = 0; lag < 4; ++lag) {
      const double logit = expected[lag] - slope * lag;
      EXPECT_NEAR(result.points[static_cast<std::size_t>(lag)].logit, first_key[lag] - slope * lag,
                  1e-12);
      EXPECT_NEAR(result.weights[static_cast<std::size_t>(lag)], std::exp(logit) / total, 1e-12);
    }
  }
}

// Rows 1, 2, 4, 8 with N = 2: windows (1,2), (2,4), (4,8) have Gram matrices 1, 4, 16 times the
// first.
TEST(ExtrapolationProfile, MeasuresTheDriftOfTheGramMatrix) {
  const Tensor rows{.shape = {4, 1}, .values = {1, 2, 4, 8}};
  const EncodingProfile result = profile("table", {{"file", rows}}, 2, 4);
  const double expected[] = {0.0, 0.0, 3.0, 15.0};
  for (std::size_t t = 0; t < 4; ++t) EXPECT_NEAR(result.points[t].gram_drift, expected[t], 1e-13);
  EXPECT_EQ(departure(result, "gram_drift").position, 2);
}

// A map beside rows: the logit of the pair form at the first key, and the softmax of those of the
// last query.
TEST(ExtrapolationProfile, AgreesWithThePairForm) {
  for (const char* spec : {"sinusoidal+rope", "learned+shaw", "xl", "fire(threshold=8)", "xpos",
                           "sinusoidal+xpos+fire(threshold=8)", "shaw(clip=4)+rope"}) {
    const auto encoding = encodings().make(spec);
    const Extent extent{.positions = 24, .dim = 8, .heads = 2};
    const Effects effects = encoding->effects(extent);
    const EncodingProfile result =
        extrapolation_profile(*encoding, {.train = 8, .to = 24, .dim = 8, .heads = 2});
    const auto logit = [&](double s, double t) {
      const Vector ones(8, 1.0);
      PairForm form = pair_form(effects, extent, 0, s, t);
      const double bias = effects.logit ? effects.logit->at(0, s, t) : 0.0;
      form.c -= bias;
      return form(ones, ones) / std::sqrt(8.0) + bias;
    };
    double total = 0.0;
    for (int lag = 0; lag < 24; ++lag) total += std::exp(logit(23.0, 23.0 - lag));
    for (int lag = 0; lag < 24; ++lag) {
      const auto at = static_cast<std::size_t>(lag);
      EXPECT_NEAR(result.points[at].logit, logit(lag, 0.0), 1e-11) << spec << " " << lag;
      EXPECT_NEAR(result.weights[at], std::exp(logit(23.0, 23.0 - lag)) / total, 1e-11)
          << spec << " " << lag;
    }
  }
}

TEST(ExtrapolationProfile, EndsWhereTheEncodingEnds) {
  const EncodingProfile learned = profile("learned(train=60)");
  EXPECT_EQ(learned.points.size(), 60U);
  EXPECT_EQ(learned.weights.size(), 60U);
  EXPECT_FALSE(learned.reason.empty());
  const EncodingProfile growth = profile("generator(decay=5)", {}, 50, 200, 1);
  EXPECT_EQ(growth.points.size(), 142U);  // e^709 fits a double
  EXPECT_EQ(departure(growth, "norm").position, 50);
  // |e^(5t) - e^(5s)| is below 1e-12 of e^245, the largest of training, for all s < t <= 43.
  EXPECT_EQ(growth.distinct, 142 - 43);
  EXPECT_NEAR(growth.points[0].nearest / (std::exp(5.0) - 1.0), 1.0, 1e-12);
}

// Rows 1, 2, 3, infinity, 4, 1.
class Overflowing final : public Encoding {
 public:
  const EncodingInfo& info() const override {
    static constexpr EncodingInfo kInfo = {.name = "overflowing", .sites = {.input = true}};
    return kInfo;
  }

 private:
  Effects make_effects(const Extent&) const override {
    return {.input = InputTable{.row = [](const Position& t, std::span<double> row) {
              constexpr double kRows[] = {1, 2, 3, std::numeric_limits<double>::infinity(), 4, 1};
              row[0] = kRows[static_cast<std::size_t>(t[0])];
            }}};
  }
};

TEST(ExtrapolationProfile, ReportsWhatIsNotFinite) {
  const EncodingProfile result =
      extrapolation_profile(Overflowing(), {.train = 3, .to = 6, .dim = 1});
  EXPECT_EQ(departure(result, "norm").position, 3);
  EXPECT_EQ(departure(result, "nearest").position, 3);
  EXPECT_TRUE(std::isinf(result.points[3].norm));
  EXPECT_TRUE(std::isnan(result.points[3].nearest));
  EXPECT_EQ(result.points[5].collisions, 1.0);
  EXPECT_EQ(result.points[4].nearest, 1.0);
  EXPECT_EQ(result.tail, Tail::kUndefined);
}

TEST(ExtrapolationProfile, RefusesSizesThatMeanNothing) {
  const auto rope = encodings().make("rope");
  const auto with = [&](const ProfileOptions& options) {
    return [&rope, options] { extrapolation_profile(*rope, options); };
  };
  expect_error(ErrorCode::kUsage, "--train", with({.train = 1, .to = 8}));
  expect_error(ErrorCode::kUsage, "--to", with({.train = 8, .to = 8}));
  expect_error(ErrorCode::kUsage, "--dim", with({.dim = 0}));
  expect_error(ErrorCode::kUsage, "--heads", with({.heads = 0}));
  expect_error(ErrorCode::kRefused, "16384", with({.to = kMostProfilePositions + 1}));
  expect_error(ErrorCode::kRefused, "--train", with({.train = 20000, .to = 30000}));
  expect_error(ErrorCode::kUsage, "even", with({.dim = 3}));
}

TEST(ExtrapolationProfiles, TrainTablesAtTheirLengthAndGiveReasons) {
  const auto all = extrapolation_profiles({"learned", "legendre", "table", "rope"},
                                          {.train = 16, .to = 40, .dim = 7}, 2);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0].encoding, "learned(train=16)");
  EXPECT_EQ(all[0].points.size(), 16U);
  EXPECT_TRUE(all[0].initial_draw);
  EXPECT_FALSE(all[1].initial_draw);
  EXPECT_EQ(all[1].distinct, 17);
  EXPECT_NE(all[2].reason.find("file"), std::string::npos);
  EXPECT_TRUE(all[2].points.empty());
  EXPECT_NE(all[3].reason.find("even"), std::string::npos);
  expect_error(ErrorCode::kUsage, "rop", [] { extrapolation_profiles({"rop"}, {}, 1); });
}

TEST(ExtrapolationProfiles, TakeEachSpecOnce) {
  const auto all = extrapolation_profiles({"rope", "alibi", "rope"}, {.train = 8, .to = 16}, 1);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].encoding, "rope");
  EXPECT_EQ(all[1].encoding, "alibi");
}

TEST(ExtrapolationProfile, HasWeightsThatSumToOne) {
  for (const char* spec : {"rope", "alibi", "sinusoidal", "fire", "xl"})
    EXPECT_NEAR(sum(profile(spec).weights), 1.0, 1e-12) << spec;
}

}  // namespace
}  // namespace sextant
