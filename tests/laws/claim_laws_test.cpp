// SPDX-License-Identifier: Apache-2.0
// Claims hold in both directions: one that is false fails, and so does one that is too modest.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "laws/subjects.h"
#include "sextant/error.h"

namespace sextant {
namespace {

constexpr double kRounding = 1e-12;
constexpr double kFar = 1048576.0;  // 2^20

// All entries of a form; infinite ones when the encoding refuses because they do not fit a double.
Vector entries(const Effects& effects, const Extent& extent, double s, double t) {
  const auto d = static_cast<std::size_t>(extent.dim);
  Vector result;
  try {
    const PairForm form = pair_form(effects, extent, extent.heads - 1, s, t);
    result.push_back(form.c);
    result.insert(result.end(), form.u.begin(), form.u.end());
    result.insert(result.end(), form.v.begin(), form.v.end());
    result.insert(result.end(), form.m.values().begin(), form.m.values().end());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNumeric) << error.what();
    result.assign(1 + 2 * d + d * d, std::numeric_limits<double>::infinity());
  }
  return result;
}

// At lag (behind) or -lag (ahead), with the other position at 0.
Vector behind(const Effects& effects, const Extent& extent, double lag) {
  return entries(effects, extent, lag, 0.0);
}
Vector ahead(const Effects& effects, const Extent& extent, double lag) {
  return entries(effects, extent, 0.0, lag);
}

// Which entries are infinite, or exceed at lags from 2^18 to 2^20 all that they were up to 2^10.
template <typename At>
std::vector<bool> unbounded_entries(const At& at) {
  const std::size_t count = at(0.0).size();
  Vector near(count), far(count);
  const auto raise = [](Vector& sizes, const Vector& values) {
    for (std::size_t i = 0; i < sizes.size(); ++i)
      sizes[i] = std::max(sizes[i], std::abs(values[i]));
  };
  for (double lag = 0.0; lag <= 1024.0; lag += 8.0) raise(near, at(lag));
  for (double lag = kFar / 4.0; lag <= kFar; lag += kFar / 16.0) raise(far, at(lag));
  const double largest = *std::max_element(near.begin(), near.end());
  std::vector<bool> result(count);
  for (std::size_t i = 0; i < count; ++i)
    result[i] = std::isinf(far[i]) || far[i] > 1.5 * std::max(largest, near[i]);
  return result;
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
    worst = std::max(worst, worst_inner_product(input_rows(*effects_.input, extent_,
                                                           Positions::range(kExtent.dim))));
  EXPECT_EQ(worst < kRounding, claims_.orthogonal == Claim::kYes) << worst;
}

TEST_P(ClaimLaws, SeparationIsAsClaimed) {
  Vector positions = {0.0, 1.0, 2.0, 3.0, 4.0, 7.0, 8.0, 14.0, 15.0};
  Extent extent = extent_;
  if (claims_.any_length == Claim::kYes) {
    for (const double far : {50.0, 600.0, 5000.0, 100000.0}) {
      positions.push_back(far);
      positions.push_back(far + 1.0);
    }
    extent.positions = 100002;
  }
  const Effects effects = encoding_->effects(extent);
  const auto apart = [&](double a, double b) {
    double worst = 0.0;
    for (const double t : positions) {
      if (claims_.needs_causal_mask == Claim::kYes && t > std::min(a, b)) continue;
      const Vector at_a = entries(effects, extent, a, t), at_b = entries(effects, extent, b, t);
      for (std::size_t i = 0; i < at_a.size(); ++i)
        if (at_a[i] != at_b[i]) worst = std::max(worst, std::abs(at_a[i] - at_b[i]));
    }
    return worst;
  };
  bool separates = true;
  for (std::size_t a = 0; a < positions.size(); ++a)
    for (std::size_t b = a + 1; b < positions.size(); ++b)
      separates = separates && apart(positions[a], positions[b]) > 1e-9;
  EXPECT_EQ(separates, claims_.separates == Claim::kYes);
}

TEST_P(ClaimLaws, BoundednessIsAsClaimed) {
  if (claims_.any_length != Claim::kYes) {
    EXPECT_EQ(claims_.bounded, Claim::kYes) << "a finite table is bounded";
    return;
  }
  const auto unbounded =
      unbounded_entries([&](double lag) { return behind(effects_, extent_, lag); });
  EXPECT_EQ(std::count(unbounded.begin(), unbounded.end(), true) == 0,
            claims_.bounded == Claim::kYes);
}

// The form with query and key exchanged.
Vector exchanged(const Vector& form, Index dim) {
  const auto d = static_cast<std::size_t>(dim);
  Vector result = form;
  for (std::size_t i = 0; i < d; ++i) {
    std::swap(result[1 + i], result[1 + d + i]);
    for (std::size_t j = 0; j < i; ++j)
      std::swap(result[1 + 2 * d + i * d + j], result[1 + 2 * d + j * d + i]);
  }
  return result;
}

// A mask is needed where keys ahead of the query get unbounded or undefined entries, other than by
// a rule that treats queries ahead of the key alike.
TEST_P(ClaimLaws, NeedOfACausalMaskIsAsClaimed) {
  if (claims_.any_length != Claim::kYes) {
    EXPECT_EQ(claims_.needs_causal_mask, Claim::kNo);
    return;
  }
  const auto unbounded =
      unbounded_entries([&](double lag) { return ahead(effects_, extent_, lag); });
  const Vector after = ahead(effects_, extent_, kFar);
  const Vector before = exchanged(behind(effects_, extent_, kFar), extent_.dim);
  bool needed = false;
  for (std::size_t i = 0; i < unbounded.size(); ++i) {
    const bool alike = std::abs(after[i] - before[i]) <= kRounding * std::abs(before[i]);
    needed = needed || (unbounded[i] && !alike);
  }
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
