// SPDX-License-Identifier: Apache-2.0
// Laws that every registered encoding obeys: the fast path, the spec, determinism, prefixes.
#include <gtest/gtest.h>

#include <cmath>

#include "laws/subjects.h"
#include "sextant/error.h"

namespace sextant {
namespace {

// Rounding of a few hundred operations on the terms of a logit.
constexpr double kLogitRounding = 1e-12;

// The terms of a logit without their signs: where they cancel, a logit is smaller than what its
// rounding is relative to.
double sum_of_magnitudes(const PairForm& form, std::span<const double> q,
                         std::span<const double> k) {
  double sum = std::abs(form.c);
  for (std::size_t i = 0; i < q.size(); ++i) {
    sum += std::abs(form.u[i] * q[i]) + std::abs(form.v[i] * k[i]);
    for (std::size_t j = 0; j < k.size(); ++j)
      sum += std::abs(q[i] * form.m(static_cast<Index>(i), static_cast<Index>(j)) * k[j]);
  }
  return sum;
}

class EncodingLaws : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Encoding> encoding_ = make_subject(GetParam());
  Extent extent_ = extent_for(*encoding_);
  Effects effects_ = encoding_->effects(extent_);
  Claims claims_ = encoding_->claims();
};

TEST_P(EncodingLaws, FastPathMatchesPairForm) {
  const Index limit = std::min<Index>(extent_.positions, kExtent.dim);  // rows of a required file
  for (Index s = 0; s < limit; s += 3) {
    for (Index t = 0; t < limit; t += 2) {
      if (claims_.needs_causal_mask == Claim::kYes && t > s) continue;
      const Position at_s = point(effects_, static_cast<double>(s));
      const Position at_t = point(effects_, static_cast<double>(t));
      const Vector q = random_vector(extent_.dim, static_cast<std::uint64_t>(2 * s));
      const Vector k = random_vector(extent_.dim, static_cast<std::uint64_t>(2 * t + 1));
      for (Index head = 0; head < extent_.heads; ++head) {
        const PairForm slow = pair_form(effects_, extent_, head, at_s, at_t);
        const double fast = fast_logit(effects_, head, at_s, at_t, q, k);
        ASSERT_NEAR(fast, slow(q, k), kLogitRounding * (10.0 + sum_of_magnitudes(slow, q, k)))
            << "s=" << s << " t=" << t;
      }
    }
  }
}

TEST_P(EncodingLaws, FastPathMatchesPairFormAtFarPositions) {
  if (claims_.any_length != Claim::kYes) GTEST_SKIP() << "covers trained positions only";
  constexpr double kFarAway = 1048576.0;  // 2^20
  for (const double lag : {0.0, 1.0, 63.0, 64.0, 200.0}) {
    const Vector q = random_vector(extent_.dim, 1), k = random_vector(extent_.dim, 2);
    const PairForm slow = pair_form(effects_, extent_, 0, kFarAway, kFarAway - lag);
    const double fast = fast_logit(effects_, 0, kFarAway, kFarAway - lag, q, k);
    ASSERT_TRUE(std::isfinite(slow(q, k)));
    // Two rotations by 2^20 w and one by the lag meet to the last places of a cosine each.
    EXPECT_NEAR(fast, slow(q, k), kLogitRounding * (10.0 + sum_of_magnitudes(slow, q, k)))
        << "lag=" << lag;
  }
}

TEST_P(EncodingLaws, FillsTheSitesThatItNames) {
  const Sites& sites = encoding_->info().sites;
  EXPECT_EQ(effects_.input.has_value(), sites.input);
  EXPECT_EQ(effects_.query_key.has_value(), sites.query_key);
  EXPECT_EQ(effects_.logit.has_value(), sites.logit);
  EXPECT_EQ(effects_.key_offset.has_value(), sites.key_offset);
}

TEST_P(EncodingLaws, SpecPrintsBackAndMakesTheSameEncoding) {
  const std::string& spec = encoding_->spec();
  const auto again = make_subject(spec);
  EXPECT_EQ(again->spec(), spec);
  EXPECT_EQ(EncodingSpec::parse(spec).text(), spec);
  const Effects effects = again->effects(extent_);
  EXPECT_EQ(
      distance(pair_form(effects, extent_, 0, 9.0, 4.0), pair_form(effects_, extent_, 0, 9.0, 4.0)),
      0.0);
}

TEST_P(EncodingLaws, SameQuestionSameBits) {
  const Effects again = encoding_->effects(extent_);
  for (const double s : {0.0, 3.0, 11.0})
    EXPECT_EQ(
        distance(pair_form(again, extent_, 1, s, 2.0), pair_form(effects_, extent_, 1, s, 2.0)),
        0.0);
}

TEST_P(EncodingLaws, LongerSequencesChangeNothingForShorterOnesAsClaimed) {
  Extent longer = extent_;
  longer.positions = 4 * extent_.positions;
  const Effects effects = encoding_->effects(longer);
  double worst = 0.0;
  for (double s = 0.0; s < 12.0; s += 1.0)
    worst = std::max(worst, distance(pair_form(effects, longer, 0, s, 1.0),
                                     pair_form(effects_, extent_, 0, s, 1.0)));
  EXPECT_EQ(worst == 0.0, claims_.length_free == Claim::kYes) << "differs by " << worst;
}

TEST_P(EncodingLaws, RelativeLawHoldsAsClaimed) {
  double worst = 0.0;
  const Index known = claims_.any_length == Claim::kYes ? 5000 : kExtent.dim;
  for (const Index shift : {Index{1}, Index{5}, known - 8}) {
    const auto move = static_cast<double>(shift);
    const PairForm here =
        pair_form(effects_, extent_, 0, point(effects_, 7.0), point(effects_, 2.0));
    const PairForm there =
        pair_form(effects_, extent_, 0, point(effects_, 7.0 + move), point(effects_, 2.0 + move));
    worst = std::max(worst, distance(here, there));
  }
  if (claims_.translation_invariant == Claim::kYes) {
    EXPECT_LE(worst, kLogitRounding);
  } else {
    EXPECT_GT(worst, 1e-3) << "the claim is too modest";
  }
}

TEST_P(EncodingLaws, GroupLawHoldsAsClaimed) {
  if (!effects_.query_key) {
    EXPECT_EQ(claims_.group, Claim::kNotApplicable);
    return;
  }
  const auto at = [&](const Position& lag) { return effects_.query_key->at(lag); };
  // A(a) A(b) = A(a+b) A(0): magnitudes are a fixed factor.
  const auto product = [](const Matrix& a, const Matrix& b) {
    Matrix c(a.rows(), b.cols());
    for (Index i = 0; i < a.rows(); ++i)
      for (Index k = 0; k < a.cols(); ++k)
        for (Index j = 0; j < b.cols(); ++j) c(i, j) += a(i, k) * b(k, j);
    return c;
  };
  const Position origin = 0.0;
  double worst = 0.0, scale = 1.0;
  for (const auto& [t, u] : {std::pair{1.5, 2.25}, {7.0, 30.0}, {0.0, 3.0}}) {
    const Position a = point(effects_, t), b = point(effects_, u), sum = a - (origin - b);
    const Matrix left = product(at(a), at(b)), right = product(at(sum), at(origin));
    for (std::size_t i = 0; i < left.values().size(); ++i) {
      worst = std::max(worst, std::abs(left.values()[i] - right.values()[i]));
      scale = std::max(scale, std::abs(right.values()[i]));
    }
  }
  if (claims_.group == Claim::kYes) {
    EXPECT_LE(worst, kLogitRounding * scale);
  } else {
    EXPECT_GT(worst, 1e-6) << "the claim is too modest";
  }
}

INSTANTIATE_TEST_SUITE_P(All, EncodingLaws, testing::ValuesIn(subject_specs()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace sextant
