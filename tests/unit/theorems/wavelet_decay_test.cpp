// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sextant/registry.h"
#include "sextant/theorem.h"
#include "support/finding.h"

namespace sextant {
namespace {

// Supports end at 2^5 (1 + taps - 1): t = 128 for 4 taps and 256 for 8.
TEST(WaveletDecay, SeventyTwoOfTwoHundredPositionsShareOneCode) {
  const TheoremCheck result = check("T8", {.train = 50, .to = 200});
  EXPECT_EQ(finding(result, "wavelet(taps=4", "positions of").observed, 72.0);
  EXPECT_EQ(finding(result, "wavelet(taps=8", "positions of").observed, 0.0);
  EXPECT_EQ(
      finding(check("T8", {.train = 50, .to = 300}), "wavelet(taps=8", "positions of").observed,
      44.0);
  EXPECT_EQ(result.verdict, ClaimVerdict::kViolated);
  EXPECT_EQ(finding(result, "wavelet(taps=4", "positions of").verdict,
            ClaimVerdict::kHoldsUnderConditions);
  EXPECT_EQ(finding(result, "wavelet(taps=4", "|PE(t)|, the largest of t=128..256").observed, 0.0);
}

TEST(WaveletDecay, SaysFromWhereRowsVanishAndHowManyShareThem) {
  const std::string far = check("T8", {.train = 50, .to = 200}).reason;
  EXPECT_NE(far.find("vanish, from t=128 on for N=50"), std::string::npos) << far;
  EXPECT_NE(far.find("72 of 200 positions share the zero row"), std::string::npos) << far;
  EXPECT_NE(far.find("(no row exceeds 3)"), std::string::npos) << far;
  const std::string near = check("T8", {.train = 50, .to = 80}).reason;
  EXPECT_EQ(near.find("share the zero row"), std::string::npos) << near;
}

TEST(WaveletDecay, CountsTheRowsThatAreZero) {
  const Extent extent{.positions = 200, .dim = 64};
  const Effects effects = encodings().make("wavelet(train=50)")->effects(extent);
  const Matrix rows = input_rows(*effects.input, extent, Positions::range(200));
  Index zeros = 0;
  for (Index t = 0; t < 200; ++t)
    zeros += std::ranges::all_of(rows.row(t), [](double x) { return x == 0.0; }) ? 1 : 0;
  EXPECT_EQ(zeros, 72);
}

// Once PE(t) = 0 the distance to a row of norm 1 is 1.
TEST(WaveletDecay, DistanceSettlesAtTheNormOfTheLastRow) {
  const TheoremCheck result = check("T8", {.train = 50, .to = 200});
  for (const char* spec :
       {"wavelet(taps=4,train=50,norm=unit)", "wavelet(taps=8,train=50,norm=unit)"})
    EXPECT_NEAR(finding(result, spec, "|PE(t) - PE(N)|").observed, 1.0, 1e-15);
  const Finding& decisive = result.findings.at(result.decisive);
  EXPECT_EQ(decisive.verdict, ClaimVerdict::kViolated);
  const Figure::Curve& curve = result.figures.at(0).curves.at(0);
  EXPECT_EQ(curve.y.front(), 0.0);
  EXPECT_EQ(curve.x.back(), 200.0);
  EXPECT_DOUBLE_EQ(curve.y.back(), decisive.observed);
}

// At most 3 atoms of each scale meet a position, each at most sqrt(3) 2^(-j/2).
TEST(WaveletDecay, NormDoesNotGrowWithTheLength) {
  const TheoremCheck result = check("T8", {});
  for (const Index n : {50, 500, 5000}) {
    const Finding norm = finding(
        result, "wavelet(taps=4,train=" + std::to_string(n) + ",norm=none)", "largest |PE(t)|");
    EXPECT_LT(norm.observed, 3.0);
    EXPECT_GT(norm.observed, 1.0);
    const auto length = static_cast<double>(n);
    EXPECT_DOUBLE_EQ(norm.bound.value(), length * std::sqrt(std::log(length)));
    EXPECT_EQ(norm.verdict, ClaimVerdict::kVacuous);
  }
  EXPECT_LT(finding(result, "taps=4", "exponent").observed, 0.01);
  EXPECT_GT(finding(result, "taps=4", "exponent").bound.value(), 1.0);
}

// One column holds the atom whose support ends at 2^5.
TEST(WaveletDecay, FewColumnsLeaveNothingToDecay) {
  const TheoremCheck result = check("T8", {.train = 50, .to = 200, .dim = 1});
  EXPECT_EQ(finding(result, "wavelet(taps=4", "|PE(t) - PE(N)|").observed, 0.0);
  EXPECT_EQ(finding(result, "wavelet(taps=4", "positions of").observed, 168.0);
  EXPECT_EQ(result.findings.at(result.decisive).quantity.substr(0, 9), "positions");
}

}  // namespace
}  // namespace sextant
