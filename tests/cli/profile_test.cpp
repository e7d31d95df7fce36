// SPDX-License-Identifier: Apache-2.0
// profile, as a user meets it.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "support/run_command.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

CommandResult profile(Words words) {
  words.insert(words.begin(), "profile");
  words.push_back("--quiet");
  CommandResult result = sextant_command(words);
  EXPECT_EQ(result.status, 0) << result.err;
  return result;
}

nlohmann::json profile_json(Words words) {
  words.push_back("--json");
  return nlohmann::json::parse(profile(std::move(words)).out);
}

// Slope 1/2 of the first of eight heads: weights e^(-lag/2) (1 - e^(-1/2)), nearly.
TEST(Profile, GivesEveryPositionOfAnEncoding) {
  const auto json = profile_json({"alibi", "--train", "64", "--to", "128"});
  EXPECT_EQ(json["verb"], "profile");
  EXPECT_EQ(json["train"], 64);
  EXPECT_EQ(json["to"], 128);
  ASSERT_EQ(json["rows"].size(), 128U);
  const auto& alibi = json["encodings"][0];
  EXPECT_EQ(alibi["encoding"], "alibi");
  EXPECT_EQ(alibi["acts"], "bias");
  EXPECT_EQ(alibi["tail"], "decays");
  EXPECT_EQ(alibi["distinct"], 128);
  ASSERT_EQ(alibi["weights"]["lags"].size(), 128U);
  EXPECT_NEAR(alibi["weights"]["values"][3], std::exp(-1.5) * (1.0 - std::exp(-0.5)), 1e-12);
  EXPECT_EQ(json["first_departure"]["alibi"]["norm"], 64);
  EXPECT_TRUE(json["first_departure"]["alibi"]["effective_keys"].is_null());
  EXPECT_EQ(alibi["first_departure"]["norm"]["low"], 0.0);
  EXPECT_NEAR(json["rows"][100]["logit"], 8.0 - 50.0, 1e-12);
}

TEST(Profile, CoversTheCatalogueWithReasons) {
  const auto json = profile_json({"--train", "8", "--to", "24"});
  std::map<std::string, nlohmann::json> found;
  for (const auto& each : json["encodings"]) found[each["encoding"]] = each;
  EXPECT_NE(found["table"]["reason"], "");
  EXPECT_NE(found["learned(train=8)"]["reason"], "");
  EXPECT_EQ(found["learned(train=8)"]["initial_draw"], true);
  EXPECT_EQ(found["none"]["tail"], "flat");
  EXPECT_EQ(profile_json({"--all", "--train", "8", "--to", "24"}), json);
}

TEST(Profile, ExplainsItsTablesAndCitesTheLimits) {
  const std::string text = profile({"rope", "alibi", "--train", "16", "--to", "64"}).out;
  for (const char* part : {"rope", "operators", "erratic", "decays", "First position outside",
                           "T12", "log10 of the attention weights", "nearest"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  const std::string all = profile({"--train", "8", "--to", "24"}).out;
  EXPECT_NE(all.find("no profile"), std::string::npos);
  EXPECT_EQ(all.find("log10"), std::string::npos) << "too many curves for one picture";
  EXPECT_NE(all.find("no plots: more than 3 encodings"), std::string::npos);
  EXPECT_EQ(text.find("no plots"), std::string::npos);
  for (const char* part : {"first head", "steepest"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(Profile, RefusesWhatMeansNothing) {
  expect_failure(2, "--to", {"profile", "rope", "--train", "64", "--to", "64"});
  for (const char* train : {"0", "1"})
    expect_failure(2, "at least 2", {"profile", "rope", "--train", train});
  expect_failure(2, "--to", {"profile", "rope", "--to", "0"});
  expect_failure(2, "did you mean", {"profile", "roep"});
  expect_failure(2, "file", {"profile", "table"});
  expect_failure(2, "even", {"profile", "rope", "--dim", "3"});
  expect_failure(2, "--all", {"profile", "rope", "--all"});
  expect_failure(5, "16384", {"profile", "rope", "--train", "64", "--to", "1000000"});
  expect_failure(5, "16384", {"profile", "rope", "--train", "1000000"});
  expect_failure(5, "--dim", {"profile", "sinusoidal", "--dim", "65536", "--train", "2048"});
  expect_failure(5, "--train", {"profile", "rope", "--train", "16384"});
}

TEST(Profile, LooksNoFurtherThanItMayWithoutTo) {
  EXPECT_EQ(profile_json({"alibi", "--train", "4000"})["to"], 16384);
  EXPECT_EQ(profile_json({"alibi", "--train", "20"})["to"], 160);
}

TEST(Profile, TakesASpecOnce) {
  EXPECT_EQ(profile_json({"rope", "rope", "--train", "8", "--to", "16"})["encodings"].size(), 1U);
}

}  // namespace
}  // namespace sextant
