// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "encoding/params.h"
#include "sextant/registry.h"
#include "sextant/theorem.h"
#include "support/finding.h"
#include "theory/rademacher.h"
#include "theory/row_norms.h"

namespace sextant {
namespace {

// The catalogue and its examples, as far as they need no file.
std::vector<std::string> input_specs() {
  std::vector<std::string> specs;
  const auto add = [&](std::string_view spec) {
    for (const EncodingSpec::Term& term : EncodingSpec::parse(spec).terms)
      if (lacks_file(encodings().info(term.name), term)) return;
    specs.emplace_back(spec);
  };
  for (const std::string& name : encodings().names()) {
    const EncodingInfo& info = encodings().info(name);
    if (!info.sites.input) continue;
    add(name);
    for (const std::string_view example : info.examples) add(example);
  }
  return specs;
}

TEST(Rademacher, LiesBetweenKhintchinesSidesForEveryInputEncoding) {
  TheoremOptions options;
  options.encodings = input_specs();
  ASSERT_GE(options.encodings.size(), 15U);
  for (const TestedEncoding& subject : tested_encodings(options)) {
    for (const Index m : {2, 12, 50, 200}) {
      const Extent extent = subject.encoding->fitted({.positions = m, .dim = 64});
      const Effects effects = subject.encoding->effects(extent);
      const Matrix rows = sampled_rows(*effects.input, extent, m).rows;
      const double radius = std::ranges::max(row_norms(rows));
      for (const std::uint64_t seed : {1, 2}) {
        const RademacherEstimate found = linear_rademacher(rows, seed);
        const double rounding = 1e-12 * found.value;
        EXPECT_GE(found.value, found.root_mean_square / std::sqrt(2.0) - rounding) << subject.spec;
        EXPECT_LE(found.value, found.root_mean_square + rounding) << subject.spec;
        EXPECT_LE(found.value, radius / std::sqrt(static_cast<double>(rows.rows())) + rounding)
            << subject.spec;
      }
    }
  }
}

TEST(Rademacher, HoldsForLinearReadOutsOfTheCatalogue) {
  const TheoremCheck result = check("T5", {});
  EXPECT_EQ(result.verdict, ClaimVerdict::kHoldsUnderConditions) << result.reason;
  std::size_t seen = 0;
  for (const Finding& one : result.findings) {
    if (!one.lower || !one.quantity.starts_with("R_m of linear")) continue;
    ++seen;
    EXPECT_GE(one.observed, *one.lower) << one.part;
    EXPECT_LE(one.observed, one.bound.value()) << one.part;
    EXPECT_NEAR(*one.lower, one.bound.value() / std::sqrt(2.0), 1e-12 * *one.lower);
    EXPECT_NE(one.remark.find("class: linear"), std::string::npos);
    const Finding source = finding(result, one.part, one.quantity + ", against B_0");
    EXPECT_LE(source.observed, source.bound.value()) << one.part;
  }
  EXPECT_GE(seen, 5U);
  // B_p of a learned table is measured on it: no bound that could fail.
  EXPECT_EQ(result.findings.at(result.decisive).part, "sinusoidal");
}

// sqrt(64) / sqrt(50) = 1.131. Legendre's radius is ours, that of drawn tables is measured.
TEST(Rademacher, SaysWhichBoundsAreTheSources) {
  const std::string reason = check("T5", {.train = 50, .dim = 64}).reason;
  for (const char* part :
       {"the one class computed here (not transformers)", "Khintchine's lower side",
        "of the source's B_0/sqrt m that of sinusoidal gives 1.13 against",
        "at m=50, that of wavelet(train=50) is vacuous"})
    EXPECT_NE(reason.find(part), std::string::npos) << part << ": " << reason;
  EXPECT_EQ(reason.find("legendre"), std::string::npos) << reason;
  const std::string few = check("T5", {.train = 8, .dim = 64, .encodings = {"legendre"}}).reason;
  EXPECT_NE(few.find("R_m of 1 input table keeps Khintchine's two sides"), std::string::npos)
      << few;
  EXPECT_NE(few.find("the source gives no number B_0"), std::string::npos) << few;
}

TEST(Rademacher, NamesTheRowsThatItTook) {
  const TheoremCheck result =
      check("T5", {.train = 5000, .to = 5001, .dim = 4, .encodings = {"sinusoidal"}});
  EXPECT_EQ(result.findings.at(result.decisive).quantity,
            "R_m of linear read-outs, m=4096 (of 5000), against B_0/sqrt m");
}

TEST(Rademacher, SinusoidalRowsAreShorterThanPublished) {
  const TheoremCheck result = check("T5", {.dim = 64, .encodings = {"sinusoidal"}});
  const Finding norm = finding(result, "sinusoidal", "largest |p_t|");
  EXPECT_NEAR(norm.observed, std::sqrt(32.0), 1e-13);
  EXPECT_DOUBLE_EQ(norm.bound.value(), 8.0);
  EXPECT_EQ(norm.verdict, ClaimVerdict::kHolds);
  const Finding& source = result.findings.at(result.decisive);
  EXPECT_DOUBLE_EQ(source.bound.value(), 8.0 / std::sqrt(50.0));
}

// Neighbours are the nearest: |p_t - p_{t+1}|^2 = sum_k 2 - 2 cos(w_k), whatever t is.
TEST(Rademacher, OfAllLipschitzFunctionsDoesNotFallWithM) {
  double squared = 0.0;
  for (int k = 0; k < 32; ++k) squared += 2.0 - 2.0 * std::cos(std::pow(1e4, -k / 32.0));
  for (const Index to : {100, 400}) {
    const TheoremCheck result = check("T5", {.to = to, .dim = 64, .encodings = {"sinusoidal"}});
    const Finding one = finding(result, "sinusoidal", "least R_m of Lipschitz");
    const double bound = 8.0 / std::sqrt(static_cast<double>(to));
    EXPECT_NEAR(one.observed, 0.5 * std::sqrt(squared), 1e-12);
    EXPECT_DOUBLE_EQ(one.bound.value(), bound);
    EXPECT_EQ(one.verdict, ClaimVerdict::kNotTestable);
    EXPECT_EQ(one.remark.find("beyond the bound") != std::string::npos, one.observed > bound);
    EXPECT_EQ(one.remark.find("as long as rows stay this far apart") != std::string::npos,
              one.observed > bound);
    EXPECT_NE(one.remark.find("class: all f"), std::string::npos);
    EXPECT_NE(one.remark.find("not claimed by the source"), std::string::npos);
  }
}

TEST(Rademacher, AlibiShiftsLogitsByTheSlopeTimesTheLongestDistance) {
  const TheoremCheck result = check("T5", {.train = 50, .alpha = 0.1, .encodings = {"alibi"}});
  EXPECT_NEAR(finding(result, "alibi(slope=0.1)", "largest |bias|").observed, 4.9, 1e-12);
  EXPECT_NE(finding(result, "alibi", "largest |p_t|").remark.find("not applicable: no input site"),
            std::string::npos);
  EXPECT_EQ(result.verdict, ClaimVerdict::kNotTestable);
}

TEST(Rademacher, CallsTheWaveletBoundVacuous) {
  const TheoremCheck result = check("T5", {.encodings = {"wavelet"}});
  EXPECT_EQ(result.verdict, ClaimVerdict::kVacuous);
  EXPECT_EQ(result.findings.at(result.decisive).verdict, ClaimVerdict::kVacuous);
}

TEST(Rademacher, SaysThatNoEncodingGaveRows) {
  EXPECT_EQ(check("T5", {.encodings = {"table", "mds"}}).reason,
            "none of these encodings gave input rows: see the findings");
}

TEST(Rademacher, SaysWhatNeedsAFile) {
  const TheoremCheck result = check("T5", {.encodings = {"mds", "learned"}});
  const Finding mds = finding(result, "mds", "largest |p_t|");
  EXPECT_EQ(mds.verdict, ClaimVerdict::kNotTestable);
  EXPECT_TRUE(std::isnan(mds.observed));
  EXPECT_NE(mds.remark.find("not applicable: needs a file"), std::string::npos);
  EXPECT_NE(finding(result, "learned(train=50)", "largest").remark.find("initial draw"),
            std::string::npos);
}

}  // namespace
}  // namespace sextant
