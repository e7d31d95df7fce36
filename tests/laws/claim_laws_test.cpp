// SPDX-License-Identifier: Apache-2.0
// Claims hold in both directions: one that is false fails, and so does one that is too modest.
#include <gtest/gtest.h>

#include <algorithm>

#include "laws/subjects.h"
#include "sextant/error.h"

namespace sextant {
namespace {

constexpr double kRounding = 1e-12;
constexpr double kFar = 1048576.0;  // 2^20

// The largest entry of a form beyond the identity that no encoding gives; infinite when a value is
// infinite, or when the encoding refuses because it does not fit a double.
double size_of(const Effects& effects, const Extent& extent, double s, double t) {
  try {
    const PairForm form = pair_form(effects, extent, extent.heads - 1, s, t);
    double size = std::abs(form.c);
    for (const double x : form.u) size = std::max(size, std::abs(x));
    for (const double x : form.v) size = std::max(size, std::abs(x));
    for (const double x : form.m.values()) size = std::max(size, std::abs(x));
    return size;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNumeric) << error.what();
    return std::numeric_limits<double>::infinity();
  }
}

// Whether forms at lags from 2^18 to 2^20 in the direction of `sign` exceed those up to 2^10.
bool unbounded(const Effects& effects, const Extent& extent, double sign) {
  const auto at = [&](double lag) {
    return sign > 0 ? size_of(effects, extent, lag, 0.0) : size_of(effects, extent, 0.0, lag);
  };
  double near = 0.0, far = 0.0;
  for (double lag = 0.0; lag <= 1024.0; lag += 8.0) near = std::max(near, at(lag));
  for (double lag = kFar / 4.0; lag <= kFar; lag += kFar / 16.0) far = std::max(far, at(lag));
  return far > 1.5 * near;
}

class ClaimLaws : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Encoding> encoding_ = make_subject(GetParam());
  Extent extent_ = extent_for(*encoding_);
  Effects effects_ = encoding_->effects(extent_);
  Claims claims_ = encoding_->claims();
};

TEST_P(ClaimLaws, AnyLengthIsAsClaimed) {
  bool defined = true;
  try {
    pair_form(effects_, extent_, 0, kFar, kFar - 3.0);
  } catch (const Error& error) {
    defined = false;
    EXPECT_NE(error.code(), ErrorCode::kInternal);
  }
  EXPECT_EQ(defined, claims_.any_length == Claim::kYes);
}

TEST_P(ClaimLaws, NormPreservationIsAsClaimed) {
  if (!effects_.query_key) {
    EXPECT_EQ(claims_.norm_preserving, Claim::kNotApplicable);
    return;
  }
  const Matrix a = effects_.query_key->at(7.0);
  const Vector x = random_vector(extent_.dim, 3);
  double before = 0.0, after = 0.0;
  for (Index i = 0; i < a.rows(); ++i) {
    double y = 0.0;
    for (Index j = 0; j < a.cols(); ++j) y += a(i, j) * x[static_cast<std::size_t>(j)];
    before += x[static_cast<std::size_t>(i)] * x[static_cast<std::size_t>(i)];
    after += y * y;
  }
  const bool preserved = std::abs(std::sqrt(after / before) - 1.0) < kRounding;
  EXPECT_EQ(preserved, claims_.norm_preserving == Claim::kYes);
}

// Columns of `m` after division by their common norm: the largest inner product of two of them.
double worst_inner_product(const Matrix& m) {
  double worst = 0.0, norm = 0.0;
  for (Index i = 0; i < m.cols(); ++i) {
    for (Index j = 0; j < m.cols(); ++j) {
      double sum = 0.0;
      for (Index k = 0; k < m.rows(); ++k) sum += m(k, i) * m(k, j);
      (i == j ? norm : worst) = std::max(i == j ? norm : worst, std::abs(sum));
    }
  }
  return worst / norm;
}

TEST_P(ClaimLaws, OrthogonalityIsAsClaimed) {
  if (!effects_.query_key && !effects_.input) {
    EXPECT_EQ(claims_.orthogonal, Claim::kNotApplicable);
    return;
  }
  double worst = 0.0;
  if (effects_.query_key) {
    const Matrix a = effects_.query_key->at(7.0);
    worst = worst_inner_product(a);
    const Matrix unit = effects_.query_key->at(0.0);  // magnitude^2
    for (Index j = 0; j < a.cols(); ++j) {
      double sum = 0.0;
      for (Index i = 0; i < a.rows(); ++i) sum += a(i, j) * a(i, j);
      worst = std::max(worst, std::abs(std::sqrt(sum) / unit(0, 0) - 1.0));
    }
  }
  if (effects_.input)
    worst = std::max(worst, worst_inner_product(
                                input_rows(*effects_.input, extent_, Positions::range(kExtent.dim))));
  EXPECT_EQ(worst < kRounding, claims_.orthogonal == Claim::kYes) << worst;
}

TEST_P(ClaimLaws, SeparationIsAsClaimed) {
  const Index n = kExtent.dim;
  bool separates = true;
  for (Index a = 0; a < n && separates; ++a) {
    for (Index b = a + 1; b < n && separates; ++b) {
      double apart = 0.0;
      for (Index t = 0; t < n; ++t)
        apart = std::max(apart, distance(pair_form(effects_, extent_, 0, static_cast<double>(a),
                                                   static_cast<double>(t)),
                                         pair_form(effects_, extent_, 0, static_cast<double>(b),
                                                   static_cast<double>(t))));
      separates = apart > 1e-9;
    }
  }
  EXPECT_EQ(separates, claims_.separates == Claim::kYes);
}

TEST_P(ClaimLaws, BoundednessIsAsClaimed) {
  if (claims_.any_length != Claim::kYes) {
    EXPECT_EQ(claims_.bounded, Claim::kYes) << "a finite table is bounded";
    return;
  }
  EXPECT_EQ(!unbounded(effects_, extent_, 1.0), claims_.bounded == Claim::kYes);
}

// A mask is needed where keys ahead of the query get unbounded or undefined logits, and not by the
// symmetric rule that keys behind get too.
TEST_P(ClaimLaws, NeedOfACausalMaskIsAsClaimed) {
  if (claims_.any_length != Claim::kYes) {
    EXPECT_EQ(claims_.needs_causal_mask, Claim::kNo);
    return;
  }
  bool symmetric = true;
  for (const double lag : {1.0, 5.0, 40.0}) {
    const double ahead = size_of(effects_, extent_, 0.0, lag);
    symmetric = symmetric && std::isfinite(ahead) &&
                distance(pair_form(effects_, extent_, 0, lag, 0.0),
                         pair_form(effects_, extent_, 0, 0.0, lag)) == 0.0;
  }
  const bool needed = !symmetric && unbounded(effects_, extent_, -1.0);
  EXPECT_EQ(needed, claims_.needs_causal_mask == Claim::kYes);
}

TEST_P(ClaimLaws, ValuesAreFiniteToTwoToTheTwentyOrRefused) {
  for (double t = 1.0; t <= kFar; t *= 2.0) {
    try {
      const PairForm form = pair_form(effects_, extent_, 0, t, 0.0);
      EXPECT_TRUE(std::isfinite(form.c)) << t;
      for (const double x : form.m.values()) ASSERT_TRUE(std::isfinite(x)) << t;
      for (const double x : form.u) ASSERT_TRUE(std::isfinite(x)) << t;
    } catch (const Error& error) {
      EXPECT_TRUE(error.code() == ErrorCode::kUsage || error.code() == ErrorCode::kNumeric);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, ClaimLaws, testing::ValuesIn(subject_specs()),
                         [](const auto& test) { return test_name(test.param); });

}  // namespace
}  // namespace sextant
