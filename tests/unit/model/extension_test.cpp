// SPDX-License-Identifier: Apache-2.0
#include "model/extension.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/conversion.h"
#include "support/expect_error.h"
#include "theory/nearest_repeat.h"

namespace sextant {
namespace {

ExtensionSubject llama2(Index to) {
  return {.spec = "rope", .head_dim = 128, .trained = 4096, .to = to};
}

ExtensionCandidate candidate(const ExtensionReport& report, std::string_view method) {
  const auto found = std::ranges::find(report.candidates, method, &ExtensionCandidate::method);
  if (found == report.candidates.end()) {
    ADD_FAILURE() << "no row " << method;
    return {};
  }
  return *found;
}

// To four times the length, made once.
const ExtensionReport& llama2_report() {
  static const ExtensionReport report = compare_extensions(llama2(16384));
  return report;
}

TEST(LagMap, SharesPositionsInGroupsBeyondTheWindow) {
  const LagMap map{.window = 4, .group = 2};
  const std::vector<Index> expected = {0, 1, 2, 3, 4, 4, 5, 5, 6, 6, 7};
  for (std::size_t lag = 0; lag < expected.size(); ++lag)
    EXPECT_EQ(map(static_cast<Index>(lag)), expected[lag]) << lag;
  EXPECT_EQ(map.largest(10), 7);  // lag 9 is ceil(9/2) + 4 - 2 for the first query of a group
}

TEST(LagMap, EndsAtTheWindowWithoutGroups) {
  const LagMap map{.window = 4, .group = 0};
  EXPECT_EQ(map(3), 3);
  EXPECT_EQ(map(5), 4);
  EXPECT_EQ(map.largest(1000), 4);
}

// dim(1) = 128 ln(4096 / 2 pi) / (2 ln 10000) = 45.03: pairs 0 to 45 complete a turn.
TEST(CompareExtensions, CountsPairsThatCompleteATurn) {
  const ExtensionReport& report = llama2_report();
  EXPECT_EQ(report.pairs, 64);
  EXPECT_EQ(report.trained_turning, 46);
  EXPECT_EQ(candidate(report, "none").measures.beyond, 18);
  EXPECT_EQ(candidate(report, "linear").measures.turning, 46);
}

// ntk stretches pair i by f^(i/63): all slow pairs but the last go beyond f-fold.
TEST(CompareExtensions, FindsThePairsThatLeaveTheirTrainedPhases) {
  const ExtensionReport& report = llama2_report();
  EXPECT_EQ(candidate(report, "ntk").measures.beyond, 17);
  for (const char* method : {"linear", "yarn", "llama3", "longrope", "self-extend", "rerope"})
    EXPECT_EQ(candidate(report, method).measures.beyond, 0) << method;
}

// One pair of frequency 1: K(lag) = cos(lag), or cos(lag/4) under linear 4.
TEST(MeasureExtension, FollowsFromOneWave) {
  const ExtensionSubject subject{.spec = "rope", .head_dim = 2, .trained = 100, .to = 400};
  const RotaryOperator ladder = operator_of("rope(scaling=linear,factor=4)", 2);
  const ExtensionMeasures measures = measure_extension(subject, ladder, {});
  double drift = 0.0;
  for (int lag = 1; lag <= 64; ++lag)
    drift = std::max(drift, std::abs(std::cos(lag / 4.0) - std::cos(static_cast<double>(lag))));
  EXPECT_NEAR(measures.drift, drift, 1e-14);
  EXPECT_NEAR(measures.shape_drift, drift, 1e-14);
  EXPECT_NEAR(measures.resolution, std::sin(0.125) / std::sin(0.5), 1e-15);
  EXPECT_EQ(measures.turning, 1);
  EXPECT_EQ(measures.colliding, 0);
}

// 1.1386294^2: m(4) of YaRN on queries and keys.
TEST(CompareExtensions, TellsTheTemperatureFromTheShape) {
  const ExtensionMeasures yarn = candidate(llama2_report(), "yarn").measures;
  const double m = 1.0 + 0.1 * std::log(4.0);
  EXPECT_NEAR(yarn.logit_factor, m * m, 1e-14);
  EXPECT_GT(yarn.drift, yarn.shape_drift);
}

TEST(CompareExtensions, FindsTheNearestLagsByTheTheoryOfSinusoids) {
  const ExtensionSubject subject{.spec = "rope", .head_dim = 16, .trained = 128, .to = 512};
  const ExtensionMeasures none = candidate(compare_extensions(subject), "none").measures;
  const NearestRepeat repeat = nearest_repeat(16, kShortLags, 511);
  EXPECT_EQ(none.nearest_lag, repeat.lag);
  EXPECT_NEAR(none.nearest, repeat.distance / std::sqrt(8.0), 1e-13);
}

TEST(CompareExtensions, FitsGroupsIntoTheTrainedLength) {
  const ExtensionReport report = compare_extensions(llama2(32768), {.window = 1024});
  const ExtensionCandidate grouped = candidate(report, "self-extend");
  ASSERT_TRUE(grouped.map);
  const LagMap map = grouped.map.value_or(LagMap{});
  EXPECT_LT(map.largest(32768), 4096);
  EXPECT_GE((LagMap{.window = 1024, .group = map.group - 1}.largest(32768)), 4096);
  EXPECT_EQ(grouped.measures.drift, 0.0);
  EXPECT_EQ(grouped.measures.colliding, 32768 - 1 - map(32767));
  EXPECT_EQ(candidate(report, "rerope").measures.colliding, 32768 - 1025);
  expect_error(ErrorCode::kUsage, "--window",
               [] { compare_extensions(llama2(32768), {.window = 4096}); });
}

TEST(CompareExtensions, SuggestsTheRuleOfEnginesThatChangesLeast) {
  const ExtensionReport& report = llama2_report();
  const ExtensionMeasures best = candidate(report, report.recommended).measures;
  EXPECT_EQ(best.beyond, 0);
  for (const char* method : {"linear", "yarn", "llama3"})
    EXPECT_LE(best.shape_drift, candidate(report, method).measures.shape_drift) << method;
}

TEST(LongropeStart, DividesPairsThatDoNotCompleteATurn) {
  const auto factors = longrope_start(operator_of("rope", 128), 4096, 4.0);
  ASSERT_EQ(factors.size(), 64U);
  EXPECT_EQ(std::ranges::count(factors, 1.0), 46);
  EXPECT_EQ(factors[45], 1.0);
  EXPECT_EQ(factors[46], 4.0);
}

TEST(ExtensionSnippet, SpellsYarnForBothVersions) {
  const ExtensionSubject subject = llama2(16384);
  const ExtensionCandidate yarn = candidate(llama2_report(), "yarn");
  const Json v4 = extension_snippet(subject, yarn, ConfigSpelling::kV4);
  EXPECT_EQ(v4["max_position_embeddings"], 16384);
  EXPECT_EQ(v4["rope_theta"], 10000);
  EXPECT_EQ(v4["rope_scaling"]["rope_type"], "yarn");
  EXPECT_EQ(v4["rope_scaling"]["factor"], 4.0);
  EXPECT_EQ(v4["rope_scaling"]["original_max_position_embeddings"], 4096);
  const Json v5 = extension_snippet(subject, yarn, ConfigSpelling::kV5);
  EXPECT_EQ(v5["rope_parameters"]["rope_theta"], 10000);
  EXPECT_EQ(v5["rope_parameters"]["factor"], 4.0);
  EXPECT_FALSE(v5.contains("rope_scaling"));
}

// 10000 * 4^(128/126) = 40889.942.
TEST(ExtensionSnippet, WritesNtkAsALargerTheta) {
  const ExtensionSubject subject = llama2(16384);
  const Json json =
      extension_snippet(subject, candidate(llama2_report(), "ntk"), ConfigSpelling::kV4);
  EXPECT_NEAR(json["rope_theta"].get<double>(), 40889.942, 5e-4);
  EXPECT_TRUE(json["rope_scaling"].is_null());
}

TEST(ExtensionSnippet, LeavesTheTrainedLengthToDynamic) {
  const ExtensionSubject subject = llama2(16384);
  const ExtensionCandidate dynamic = candidate(llama2_report(), "dynamic");
  const Json json = extension_snippet(subject, dynamic, ConfigSpelling::kV4);
  EXPECT_EQ(json["max_position_embeddings"], 4096);
  EXPECT_FALSE(extension_remarks(subject, dynamic, ConfigSpelling::kV4).empty());
}

TEST(ExtensionSnippet, GoesWhereTheModelHasItsKeys) {
  ExtensionSubject subject = llama2(16384);
  subject.keys.pointer = "/text_config/rope_parameters/full_attention";
  subject.keys.partial = 0.5;
  EXPECT_EQ(spelling_of(subject.keys), ConfigSpelling::kV5);
  const Json json =
      extension_snippet(subject, candidate(llama2_report(), "llama3"), ConfigSpelling::kV5);
  const Json& rule = json["text_config"]["rope_parameters"]["full_attention"];
  EXPECT_EQ(rule["rope_type"], "llama3");
  EXPECT_EQ(rule["low_freq_factor"], 1.0);
  EXPECT_EQ(rule["partial_rotary_factor"], 0.5);
}

TEST(ExtensionSnippet, SaysWhichKeysItReplaces) {
  const ExtensionSubject subject = llama2(16384);
  const ExtensionCandidate yarn = candidate(llama2_report(), "yarn");
  EXPECT_TRUE(extension_remarks(subject, yarn, ConfigSpelling::kV4).empty());
  EXPECT_NE(extension_remarks(subject, yarn, ConfigSpelling::kV5).front().find("remove rope_theta"),
            std::string::npos);
}

TEST(ExtensionSnippet, HasNoKeyForMapsOfPositions) {
  const ExtensionSubject subject = llama2(16384);
  const ExtensionCandidate map = candidate(llama2_report(), "self-extend");
  EXPECT_TRUE(extension_snippet(subject, map, ConfigSpelling::kV4).empty());
  EXPECT_NE(extension_remarks(subject, map, ConfigSpelling::kV4).front().find("engine"),
            std::string::npos);
}

}  // namespace
}  // namespace sextant
