// SPDX-License-Identifier: Apache-2.0
#include "theory/row_norms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sextant {
namespace {

constexpr Extent kSize{.positions = 50, .dim = 64, .heads = 4};

TestedEncoding subject_of(const std::string& spec) {
  TheoremOptions options;
  options.encodings = {spec};
  return std::move(tested_encodings(options).front());
}

std::optional<PublishedRadius> radius_of(const std::string& spec) {
  const TestedEncoding subject = subject_of(spec);
  const Effects effects = subject.encoding->effects(kSize);
  return published_radius(subject, kSize,
                          std::ranges::max(sampled_norms(*effects.input, kSize, 50).norms));
}

TEST(SampledRows, EndWhereATableEnds) {
  const Extent extent{.positions = 8, .dim = 3};
  const Effects effects = encodings().make("learned(train=5)")->effects(extent);
  const SampledRows sampled = sampled_rows(*effects.input, extent, 8);
  EXPECT_EQ(sampled.rows.rows(), 5);
  EXPECT_FALSE(sampled.ends.empty());
  EXPECT_EQ(row_norms(sampled.rows).size(), 5U);
  EXPECT_TRUE(sampled_rows(*effects.input, extent, 5).ends.empty());
  const SampledNorms norms = sampled_norms(*effects.input, extent, 8);
  EXPECT_EQ(norms.norms, row_norms(sampled.rows));
  EXPECT_EQ(norms.ends, sampled.ends);
}

TEST(RowNorms, DoNotOverflow) {
  Matrix rows(1, 2);
  rows(0, 0) = 3e200, rows(0, 1) = 4e200;
  EXPECT_DOUBLE_EQ(row_norms(rows).front(), 5e200);
}

TEST(PublishedRadius, IsThatOfTheSource) {
  EXPECT_DOUBLE_EQ(radius_of("sinusoidal").value().value, 8.0);
  EXPECT_DOUBLE_EQ(radius_of("legendre").value().value, 8.0);
  EXPECT_DOUBLE_EQ(radius_of("wavelet").value().value, 50.0 * std::sqrt(std::log(50.0)));
  EXPECT_DOUBLE_EQ(radius_of("wavelet(norm=unit)").value().value, 1.0);
  EXPECT_DOUBLE_EQ(radius_of("wavelet(norm=sqrt)").value().value, std::sqrt(32.0));
  EXPECT_DOUBLE_EQ(radius_of("sinusoidal+alibi").value().value, 8.0);
}

TEST(PublishedRadius, IsMissingWhereTheSourceIsSilent) {
  EXPECT_FALSE(radius_of("random"));
  EXPECT_FALSE(radius_of("legendre(beyond=none)"));
}

// max|psi| is sqrt(3) for 4 taps and 1.359 for 8.
TEST(WaveletRadius, CountsTheAtomsThatMeetAPosition) {
  EXPECT_NEAR(wavelet_radius(4, 5), 3.0 * std::sqrt(31.0 / 32.0), 1e-6);
  EXPECT_NEAR(wavelet_radius(8, 5), 1.359 * std::sqrt(7.0 * 31.0 / 32.0), 2e-3);
  EXPECT_LT(wavelet_radius(4, 12), 3.0);
}

TEST(OtherNorms, NameWhatIsBoundedInsteadOfRows) {
  const auto norms = [](const std::string& spec) {
    return other_norms(subject_of(spec).encoding->effects(kSize), kSize, 8);
  };
  EXPECT_EQ(norms("alibi(slope=0.5)"), "|bias| <= 4 at lags 0, 1, 2, 4, ..., 8");
  EXPECT_EQ(norms("rope"), "|A(lag)| <= 1 at lags 0, 1, 2, 4, ..., 8");
  EXPECT_EQ(norms("none"), "");
  EXPECT_EQ(norms("sinusoidal"), "");
}

}  // namespace
}  // namespace sextant
