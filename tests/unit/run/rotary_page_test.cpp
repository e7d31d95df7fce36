// SPDX-License-Identifier: Apache-2.0
#include "run/rotary_page.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "encoding/rotary.h"

namespace sextant {
namespace {

constexpr double kFiveDigits = 1e-4;  // the page rounds

RotarySubject llama(Index trained, Index to) {
  RotarySubject subject;
  subject.base = 10000.0;
  subject.trained_inv_freq = geometric_ladder(subject.base, 128);
  subject.present.inv_freq = subject.trained_inv_freq;
  subject.trained = trained;
  subject.to = to;
  return subject;
}

const Json& method(const Json& page, std::string_view name) {
  for (const Json& each : page["methods"])
    if (each["method"] == name) return each;
  ADD_FAILURE() << name;
  return page["methods"][0];
}

TEST(RotaryPage, WavelengthsAreTurnsOverFrequencies) {
  const Json page = rotary_page(llama(2048, 8192));
  EXPECT_EQ(page["pairs"], 64);
  EXPECT_NEAR(page["wavelength"][0].get<double>(), 2.0 * std::numbers::pi, 1e-4);
  EXPECT_NEAR(page["wavelength"][16].get<double>(), 20.0 * std::numbers::pi, 1e-3);
}

TEST(RotaryPage, APairThatDoesNotTurnHasNoWavelengthAndNoRatio) {
  RotarySubject subject = llama(2048, 8192);
  subject.present.inv_freq[5] = subject.trained_inv_freq[5] = 0.0;
  const Json page = rotary_page(subject);
  EXPECT_TRUE(page["wavelength"][5].is_null());
  EXPECT_EQ(page["coverage"]["to"][5], 0.0);
  EXPECT_TRUE(method(page, "linear")["ratio"][5].is_null());
}

// Position T - 1 is the last of T: the slowest pair of a head of 128 turns by 1.15478198e-4 each.
TEST(RotaryPage, CoverageIsThePartOfACircleUpToTheLastPosition) {
  const Json page = rotary_page(llama(2048, 8192));
  EXPECT_EQ(page["coverage"]["trained"][0], 1.0);
  const double slow = 1.15478198e-4 / (2.0 * std::numbers::pi);
  EXPECT_NEAR(page["coverage"]["trained"][63].get<double>(), 2047.0 * slow, kFiveDigits);
  EXPECT_NEAR(page["coverage"]["to"][63].get<double>(), 8191.0 * slow, kFiveDigits);
}

TEST(RotaryPage, LinearScalingSlowsAllPairsAlike) {
  const Json page = rotary_page(llama(2048, 8192));
  for (const Json& ratio : method(page, "linear")["ratio"]) {
    EXPECT_NEAR(ratio.get<double>(), 0.25, kFiveDigits);
  }
}

// Static NTK keeps the first pair and slows the last by the whole factor: base s^(d/(d-2)) to the
// power -(d-2)/d is 1/s of the old one. YaRN (d 128, base 1e4, 2048) keeps pairs up to 16 and
// divides those from 41 on.
TEST(RotaryPage, NtkAndYarnKeepFastPairsAndDivideSlowOnes) {
  const Json page = rotary_page(llama(2048, 8192));
  const Json& ntk = method(page, "ntk")["ratio"];
  EXPECT_NEAR(ntk[0].get<double>(), 1.0, kFiveDigits);
  EXPECT_NEAR(ntk[63].get<double>(), 0.25, kFiveDigits);
  const Json& yarn = method(page, "yarn");
  EXPECT_NEAR(yarn["ratio"][16].get<double>(), 1.0, kFiveDigits);
  EXPECT_NEAR(yarn["ratio"][41].get<double>(), 0.25, kFiveDigits);
  EXPECT_NEAR(yarn["magnitude"].get<double>(), 1.1386294, kFiveDigits);
}

// The start of a search: pairs that turn in 2048 positions stay. Pair 40 (wavelength 1987) does,
// pair 41 (2294) does not. Magnitude: sqrt(1 + ln 4 / ln 2048).
TEST(RotaryPage, LongropeBeginsWithAStepAtTheTrainedLength) {
  const Json page = rotary_page(llama(2048, 8192));
  const Json& longrope = method(page, "longrope");
  EXPECT_NEAR(longrope["ratio"][40].get<double>(), 1.0, kFiveDigits);
  EXPECT_NEAR(longrope["ratio"][41].get<double>(), 0.25, kFiveDigits);
  EXPECT_NEAR(longrope["magnitude"].get<double>(), 1.0871146, kFiveDigits);
}

TEST(RotaryPage, OfAnUnknownLengthHasNeitherCoverageNorMethods) {
  const Json page = rotary_page(llama(0, 4096));
  EXPECT_TRUE(page["trained"].is_null());
  EXPECT_TRUE(page["coverage"].is_null());
  EXPECT_TRUE(page["methods"].is_null());
  EXPECT_FALSE(page["precision"]["curves"].empty());
}

TEST(RotaryPage, WithoutAnExtensionHasNoMethods) {
  EXPECT_TRUE(rotary_page(llama(4096, 4096))["methods"].empty());
}

// Positions in bfloat16 fail at 257 (docs/numerics.md); what is thinned keeps its last point.
TEST(RotaryPage, PrecisionNamesTheFirstPositionOfEachLimit) {
  const Json page = rotary_page(llama(2048, 8192));
  const Json& precision = page["precision"];
  EXPECT_LE(precision["positions"].size(), 160U);
  EXPECT_EQ(precision["positions"].back(), 8191);
  for (const Json& curve : precision["curves"]) {
    EXPECT_EQ(curve["worst"].size(), precision["positions"].size());
    if (curve["what"] == "position" && curve["dtype"] == "bf16") {
      EXPECT_EQ(curve["first"]["0.1"], 257);
    }
  }
}

TEST(RotaryPage, OfNoPairsIsEmpty) {
  RotarySubject subject = llama(2048, 8192);
  subject.present.inv_freq.clear();
  subject.trained_inv_freq.clear();
  const Json page = rotary_page(subject);
  EXPECT_TRUE(page["coverage"].is_null());
  EXPECT_TRUE(page["precision"].is_null());
}

}  // namespace
}  // namespace sextant
