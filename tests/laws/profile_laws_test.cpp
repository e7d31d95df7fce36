// SPDX-License-Identifier: Apache-2.0
// Extrapolation profiles of everything that there is.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "laws/subjects.h"
#include "sextant/profile.h"

namespace sextant {
namespace {

constexpr Index kTrain = 12, kTo = 60;

ProfileOptions options() {
  return {.train = kTrain, .to = kTo, .dim = kExtent.dim, .heads = kExtent.heads};
}

class ProfileLaws : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Encoding> encoding_ = make_subject(GetParam());
  EncodingProfile profile_ = extrapolation_profile(*encoding_, options());
};

TEST_P(ProfileLaws, GoesToTheEndOrSaysWhyNot) {
  EXPECT_EQ(profile_.points.size() < static_cast<std::size_t>(kTo), !profile_.reason.empty())
      << profile_.reason;
  const Claims claims = encoding_->claims();
  const bool endless = claims.any_length == Claim::kYes && claims.bounded == Claim::kYes;
  EXPECT_TRUE(!endless || profile_.reason.empty()) << profile_.reason;
  EXPECT_FALSE(profile_.points.empty());
  EXPECT_EQ(profile_.departures.size(), profile_measures().size());
}

TEST_P(ProfileLaws, AttentionIsADistribution) {
  EXPECT_NEAR(std::accumulate(profile_.weights.begin(), profile_.weights.end(), 0.0), 1.0, 1e-12);
  for (const ProfilePoint& point : profile_.points) {
    const auto keys = static_cast<double>(point.position + 1);
    EXPECT_GE(point.effective_keys, 1.0 - 1e-12);
    EXPECT_LE(point.effective_keys, keys * (1.0 + 1e-12));
    EXPECT_GE(point.mean_lag, 0.0);
    EXPECT_LE(point.mean_lag, keys);
    EXPECT_GE(point.weight_beyond, 0.0);
    EXPECT_LE(point.weight_beyond, point.position < kTrain ? 0.0 : 1.0 + 1e-12);
  }
  EXPECT_GE(profile_.roughness, 0.0);
  EXPECT_LE(profile_.roughness, 1.0);
}

TEST_P(ProfileLaws, CollisionsAndDistinctActionsAgree) {
  Index alone = 0;
  for (const ProfilePoint& point : profile_.points) {
    if (point.collisions > 0.0) continue;
    ++alone;
    EXPECT_GT(point.nearest, 0.0) << point.position;
  }
  EXPECT_GE(profile_.distinct, std::max<Index>(alone, 1));
  EXPECT_LE(profile_.distinct, static_cast<Index>(profile_.points.size()));
}

TEST_P(ProfileLaws, KernelsOfTheLagDoNotDrift) {
  if (encoding_->claims().translation_invariant != Claim::kYes) return;
  for (const ProfilePoint& point : profile_.points) EXPECT_EQ(point.gram_drift, 0.0);
}

TEST_P(ProfileLaws, NormPreservingMapsKeepTheirNorm) {
  const Sites& sites = encoding_->info().sites;
  const bool alone = sites.query_key && !sites.input && !sites.logit && !sites.key_offset;
  if (!alone || encoding_->claims().norm_preserving != Claim::kYes) return;
  for (const ProfilePoint& point : profile_.points) EXPECT_NEAR(point.norm, 1.0, 1e-11);
}

INSTANTIATE_TEST_SUITE_P(All, ProfileLaws, testing::ValuesIn(subject_specs()),
                         [](const auto& test) { return test_name(test.param); });

TEST(Profiles, AreTheSameForAnyNumberOfThreads) {
  const auto one = extrapolation_profiles({}, options(), 1);
  const auto two = extrapolation_profiles({}, options(), 2);
  ASSERT_EQ(one.size(), encodings().names().size());
  ASSERT_EQ(two.size(), one.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].encoding, two[i].encoding);
    EXPECT_EQ(one[i].weights, two[i].weights);
    EXPECT_EQ(one[i].points.empty(), one[i].weights.empty());
    EXPECT_FALSE(one[i].points.empty() && one[i].reason.empty()) << one[i].encoding;
    ASSERT_EQ(one[i].points.size(), two[i].points.size());
    for (std::size_t t = 0; t < one[i].points.size(); ++t)
      for (const ProfileMeasure& measure : profile_measures())
        EXPECT_EQ(one[i].points[t].*measure.value, two[i].points[t].*measure.value)
            << one[i].encoding << " " << measure.name << " " << t;
  }
}

}  // namespace
}  // namespace sextant
