// SPDX-License-Identifier: Apache-2.0
#include "run/profile_document.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace sextant {
namespace {

constexpr Index kTrain = 100, kTo = 1000;

std::vector<EncodingProfile> one_profile() {
  EncodingProfile profile;
  profile.encoding = "some";
  for (Index t = 0; t < kTo; ++t)
    profile.points.push_back({.position = t, .norm = t == 100 ? INFINITY : 1.0 / 3.0});
  profile.weights.assign(kTo, 1e-3);
  profile.departures = {{.measure = "norm", .position = 100, .low = 0.0, .high = 1.0},
                        {.measure = "logit", .position = {}, .low = -INFINITY, .high = 1.0}};
  return {profile};
}

TEST(ProfileDocument, KeepsEveryPositionUnlessThinned) {
  const Json all = profiles_json(one_profile(), {.train = kTrain, .to = kTo}, ProfileRows::kAll);
  EXPECT_EQ(all["rows"].size(), 1000U);
  EXPECT_EQ(all["encodings"][0]["weights"]["lags"].size(), 1000U);
  EXPECT_EQ(all["rows"][0]["norm"], 1.0 / 3.0);
  EXPECT_EQ(all["train"], kTrain);
  EXPECT_EQ(all["rows"][0].size(), 10U);
}

TEST(ProfileDocument, ThinsToAPictureWithTheEdgesOfTraining) {
  const Json json =
      profiles_json(one_profile(), {.train = kTrain, .to = kTo}, ProfileRows::kThinned);
  EXPECT_LE(json["rows"].size(), 64U);
  EXPECT_GE(json["rows"].size(), 60U);
  std::set<Index> positions;
  for (const Json& row : json["rows"]) positions.insert(row["position"].get<Index>());
  for (const Index edge : {0, 99, 100, 999}) EXPECT_TRUE(positions.contains(edge)) << edge;
  EXPECT_EQ(positions.size(), json["rows"].size());
  const Json& weights = json["encodings"][0]["weights"];
  EXPECT_LE(weights["lags"].size(), 256U);
  EXPECT_EQ(weights["lags"].size(), weights["values"].size());
}

TEST(ProfileDocument, WritesNullForWhatIsNotFiniteOrNeverHappens) {
  const Json json = profiles_json(one_profile(), {.train = kTrain, .to = kTo}, ProfileRows::kAll);
  EXPECT_TRUE(json["rows"][100]["norm"].is_null());
  EXPECT_EQ(json["first_departure"]["some"]["norm"], 100);
  EXPECT_TRUE(json["first_departure"]["some"]["logit"].is_null());
  EXPECT_TRUE(json["encodings"][0]["first_departure"]["logit"]["low"].is_null());
}

}  // namespace
}  // namespace sextant
