// SPDX-License-Identifier: Apache-2.0
// Spectra that mathematics knows, on both sides of the size where the solver changes.
#include "math/spectrum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "base/rng.h"
#include "sextant/error.h"

namespace sextant {
namespace {

constexpr Index kDense = 96;    // LAPACK
constexpr Index kLarge = 1100;  // Krylov

Matrix gram_of_line(Index n) {
  Matrix b(n, n);
  const double middle = static_cast<double>(n - 1) / 2.0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      b(i, j) = (static_cast<double>(i) - middle) * (static_cast<double>(j) - middle);
    }
  }
  return b;
}

// Circulant: eigenvalue f(k) for the frequencies k and n - k, k = 0 .. n/2.
Matrix circulant(Index n, double (*value)(Index)) {
  Vector first(static_cast<std::size_t>(n));
  const double step = 2.0 * std::numbers::pi / static_cast<double>(n);
  for (Index k = 0; k <= n / 2; ++k) {
    const double weight = (k == 0 || 2 * k == n ? 1.0 : 2.0) * value(k) / static_cast<double>(n);
    for (Index lag = 0; lag < n; ++lag) {
      first[static_cast<std::size_t>(lag)] +=
          weight * std::cos(step * static_cast<double>(k * lag % n));
    }
  }
  Matrix b(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) b(i, j) = first[static_cast<std::size_t>(std::abs(i - j))];
  }
  return b;
}

void expect_good(const Spectrum& s) {
  EXPECT_LE(s.residual, 1e-8);
  EXPECT_LE(s.orthogonality, 1e-8);
  EXPECT_TRUE(s.multiplicity_certified);
}

TEST(TopEigenpairs, OfALineAreOneEigenvalueAndZeros) {
  for (const Index n : {kDense, kLarge}) {
    const double size = static_cast<double>(n);
    const double expected = size * (size * size - 1.0) / 12.0;  // sum of squares
    const Spectrum s = top_eigenpairs(gram_of_line(n), 5);
    expect_good(s);
    EXPECT_NEAR(s.values[0], expected, 1e-12 * expected);
    for (std::size_t k = 1; k < 5; ++k) EXPECT_NEAR(s.values[k], 0.0, 1e-12 * expected);
    EXPECT_NEAR(std::abs(s.vectors(0, 0)) * std::sqrt(expected), (size - 1.0) / 2.0, 1e-9 * size);
  }
}

TEST(TopEigenpairs, OfACirculantMatrixComeInPairs) {
  for (const Index n : {kDense, kLarge}) {
    const Spectrum s =
        top_eigenpairs(circulant(n, [](Index k) { return 1.0 / static_cast<double>(1 + k); }), 9);
    expect_good(s);
    EXPECT_NEAR(s.values[0], 1.0, 1e-12);
    for (std::size_t k = 1; k < 9; ++k) {
      EXPECT_NEAR(s.values[k], 1.0 / static_cast<double>(1 + (k + 1) / 2), 1e-12) << n << " " << k;
    }
  }
}

TEST(TopEigenpairs, OfARegularSimplexAreAllEqual) {
  for (const Index n : {kDense, kLarge}) {
    Matrix b = Matrix::identity(n);
    for (double& value : b.values()) value -= 1.0 / static_cast<double>(n);
    const Spectrum s = top_eigenpairs(b, 16);
    expect_good(s);
    for (const double value : s.values) EXPECT_NEAR(value, 1.0, 1e-12);
  }
}

// Bisection of LAPACK loses some of a cluster that rounding has spread.
TEST(TopEigenpairs, OfASimplexWithRoundingAreAllEqualForAnyCount) {
  const Rng rng(5, 2);
  for (const Index n : {20, 100, 150, 240, 256, 300}) {
    Matrix b = Matrix::identity(n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j <= i; ++j)
        b(i, j) = b(j, i) = b(i, j) - 1.0 / static_cast<double>(n) +
                            1e-16 * rng.normal(static_cast<std::uint64_t>(i * n + j));
    for (const Index count : {1, 2, 7, 11, 16}) {
      const Spectrum s = top_eigenpairs(b, count);
      expect_good(s);
      ASSERT_EQ(std::ssize(s.values), count);
      for (const double value : s.values) EXPECT_NEAR(value, 1.0, 1e-12) << n << " " << count;
    }
  }
}

// A multiplicity above the block: plain Krylov cannot see more copies than its block has columns.
TEST(KrylovEigenpairs, FindsEveryCopyOfAMultipleEigenvalue) {
  const Operator diagonal = [](const Matrix& x, Matrix& y) {
    for (Index i = 0; i < x.rows(); ++i) {
      const double factor = i < 30 ? 2.0 : 1.0 / static_cast<double>(i);
      for (Index j = 0; j < x.cols(); ++j) y(i, j) = factor * x(i, j);
    }
  };
  const Spectrum s =
      krylov_eigenpairs(kLarge, diagonal, {.count = 33, .block = 4, .most_columns = 4000});
  ASSERT_EQ(s.values.size(), 33u);
  for (std::size_t k = 0; k < 30; ++k) EXPECT_NEAR(s.values[k], 2.0, 1e-12) << k;
  EXPECT_NEAR(s.values[30], 1.0 / 30.0, 1e-12);
}

TEST(TopEigenpairs, OfAFlatBulkAgreeWithAllEigenvalues) {
  const Rng rng(17, 1);
  Matrix b(kLarge, kLarge);
  for (Index i = 0; i < kLarge; ++i) {
    for (Index j = 0; j <= i; ++j) {
      b(i, j) = b(j, i) = rng.normal(static_cast<std::uint64_t>(i * kLarge + j));
    }
  }
  const Spectrum s = top_eigenpairs(b, 12, 2);
  expect_good(s);
  const Vector all = eigenvalues(b);
  for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(s.values[k], all[k], 1e-10 * all[0]);
  for (std::size_t k = 1; k < all.size(); ++k) EXPECT_GE(all[k - 1], all[k]);
}

TEST(TopEigenpairs, HaveTheSameBitsForAnyNumberOfThreads) {
  const Matrix b = circulant(kLarge, [](Index k) { return std::exp(-static_cast<double>(k)); });
  const Spectrum one = top_eigenpairs(b, 6, 1), three = top_eigenpairs(b, 6, 3);
  EXPECT_EQ(one.values, three.values);
  EXPECT_TRUE(std::equal(one.vectors.values().begin(), one.vectors.values().end(),
                         three.vectors.values().begin()));
}

TEST(TopEigenpairs, HaveALeadingComponentThatIsPositive) {
  Matrix b(2, 2);
  b(0, 1) = b(1, 0) = 1.0;  // (1, 1) and (1, -1): the components tie
  const Spectrum s = top_eigenpairs(b, 0);
  const double half = std::sqrt(0.5);
  EXPECT_NEAR(s.vectors(0, 0), half, 1e-15);
  EXPECT_NEAR(s.vectors(1, 0), half, 1e-15);
  EXPECT_NEAR(s.vectors(0, 1), half, 1e-15);
  EXPECT_NEAR(s.vectors(1, 1), -half, 1e-15);
}

TEST(TopEigenpairs, OfTrivialMatricesAreTrivial) {
  EXPECT_TRUE(top_eigenpairs(Matrix(), 0).values.empty());
  EXPECT_EQ(top_eigenpairs(Matrix(1, 1), 1).values, Vector{0.0});
  for (const Index n : {Index{7}, kLarge}) {
    const Spectrum zero = top_eigenpairs(Matrix(n, n), 3);
    expect_good(zero);
    EXPECT_EQ(zero.values, Vector(3));
  }
}

TEST(TopEigenpairs, RejectsWhatHasNoSpectrum) {
  EXPECT_THROW(top_eigenpairs(Matrix(2, 3), 1), Error);
  EXPECT_THROW(top_eigenpairs(Matrix(2, 2), 3), Error);
  Matrix bad(2, 2);
  bad(0, 0) = std::nan("");
  try {
    top_eigenpairs(bad, 1);
    FAIL() << "expected Error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kNumeric);
  }
}

TEST(EigenvaluesAbove, CountsBySylvestersLaw) {
  const Matrix b = circulant(kDense, [](Index k) { return static_cast<double>(5 - k); });
  EXPECT_EQ(eigenvalues_above(b, 4.5), 1);
  EXPECT_EQ(eigenvalues_above(b, 3.5), 3);
  EXPECT_EQ(eigenvalues_above(b, -0.5), 11);
  Matrix swap(2, 2);  // needs a pivot of two rows
  swap(0, 1) = swap(1, 0) = 1.0;
  EXPECT_EQ(eigenvalues_above(swap, 0.0), 1);
}

TEST(TopEigenpairsOfAnOperator, SaysThatItsMultiplicityIsNotCertified) {
  const Operator doubled = [](const Matrix& x, Matrix& y) {
    for (Index i = 0; i < x.rows(); ++i) {
      const double factor = i < 3 ? 2.0 : 1.0 / static_cast<double>(i);
      for (Index j = 0; j < x.cols(); ++j) y(i, j) = factor * x(i, j);
    }
  };
  const Spectrum s = top_eigenpairs(2000, doubled, 4);
  EXPECT_FALSE(s.multiplicity_certified);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(s.values[k], 2.0, 1e-12);
  EXPECT_NEAR(s.values[3], 1.0 / 3.0, 1e-12);
}

}  // namespace
}  // namespace sextant
