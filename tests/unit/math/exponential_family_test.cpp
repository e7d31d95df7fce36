// SPDX-License-Identifier: Apache-2.0
#include "math/exponential_family.h"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "base/rng.h"
#include "math/commutator.h"
#include "math/eigen_map.h"
#include "math/elementary.h"
#include "math/matrix_exponential.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

constexpr double kEpsilon = 0x1p-52;

Matrix from_rows(Index d, std::initializer_list<double> values) {
  Matrix result(d, d);
  std::copy(values.begin(), values.end(), result.values().begin());
  return result;
}

EigenMatrix random_matrix(Index d, std::uint64_t stream) {
  const Rng rng(20240607, stream);
  return EigenMatrix::NullaryExpr(
      d, d, [&](Index i, Index j) { return rng.normal(static_cast<std::uint64_t>(i * d + j)); });
}

EigenMatrix random_basis(Index d) {
  const Eigen::MatrixXd random = random_matrix(d, 1);
  return Eigen::MatrixXd(Eigen::HouseholderQR<Eigen::MatrixXd>(random).householderQ());
}

// Spirals of falling frequency and, for an odd d, one real decay, in a random orthonormal basis.
Matrix random_normal(Index d) {
  EigenMatrix blocks = EigenMatrix::Zero(d, d);
  for (Index i = 0; i + 1 < d; i += 2) {
    const double w = std::pow(0.9, static_cast<double>(i));
    blocks(i, i) = blocks(i + 1, i + 1) = -0.1 * w;
    blocks(i + 1, i) = w;
    blocks(i, i + 1) = -w;
  }
  if (d % 2 == 1) blocks(d - 1, d - 1) = -0.3;
  const EigenMatrix q = random_basis(d);
  return to_matrix(q * blocks * q.transpose());
}

// A chain of d links at eigenvalue -0.2, in a random basis.
Matrix random_defective(Index d) {
  EigenMatrix chain = -0.2 * EigenMatrix::Identity(d, d);
  for (Index i = 0; i + 1 < d; ++i) chain(i, i + 1) = 1.0;
  const EigenMatrix q = random_basis(d);
  return to_matrix(q * chain * q.transpose());
}

Matrix random_skew(Index d) {
  const EigenMatrix x = random_matrix(d, 2);
  return to_matrix(x - x.transpose());
}

struct Named {
  const char* name;
  Matrix x;
};

std::vector<Named> generators() {
  return {{"random", to_matrix(0.3 * random_matrix(9, 3))},
          {"normal", random_normal(12)},
          {"normal of odd size", random_normal(7)},
          {"skew", random_skew(10)},
          {"symmetric", to_matrix(0.2 * (random_matrix(8, 4) + random_matrix(8, 4).transpose()))},
          {"defective", random_defective(6)},
          {"nilpotent", from_rows(3, {0, 1, 0, 0, 0, 1, 0, 0, 0})},
          {"1x1", from_rows(1, {-0.7})},
          {"pair that is not normal", from_rows(2, {0.1, 4.0, -0.25, 0.1})},
          {"zero", Matrix(5, 5)},
          {"multiple of the identity", from_rows(2, {0.5, 0, 0, 0.5})}};
}

double relative_distance(const Matrix& a, const Matrix& b) {
  return (as_eigen(a) - as_eigen(b)).norm() / as_eigen(b).norm();
}

TEST(ExponentialFamily, AgreesWithThePadeApproximantOfTheWholeMatrix) {
  for (const auto& [name, x] : generators()) {
    const ExponentialFamily family(x);
    for (const double t : {-3.0, -0.5, 0.0, 1e-9, 0.25, 1.0, 6.0})
      EXPECT_LT(relative_distance(family.at(t), matrix_exponential(x, t)), 1e-12)
          << name << " t=" << t;
  }
}

TEST(ExponentialFamily, ComposesAsAddition) {
  for (const auto& [name, x] : generators()) {
    const ExponentialFamily family(x);
    const Matrix a = family.at(1.5), b = family.at(-0.4);
    const Matrix product = to_matrix(as_eigen(a) * as_eigen(b));
    EXPECT_LT(relative_distance(product, family.at(1.1)), 1e-12) << name;
  }
}

TEST(ExponentialFamily, ActsOnVectorsAsTheMatrixAndItsTranspose) {
  for (const auto& [name, x] : generators()) {
    const ExponentialFamily family(x);
    const Matrix a = family.at(1.7);
    const double tolerance = 1e-14 * (1.0 + as_eigen(a).norm());
    for (Index j = 0; j < x.rows(); ++j) {
      Vector forward(static_cast<std::size_t>(x.rows())), back(forward.size());
      forward[static_cast<std::size_t>(j)] = back[static_cast<std::size_t>(j)] = 1.0;
      family.apply(1.7, forward);
      family.apply_transposed(1.7, back);
      for (Index i = 0; i < x.rows(); ++i) {
        EXPECT_NEAR(forward[static_cast<std::size_t>(i)], a(i, j), tolerance) << name;
        EXPECT_NEAR(back[static_cast<std::size_t>(i)], a(j, i), tolerance) << name;
      }
    }
  }
}

TEST(ExponentialFamily, ManyTimesHaveTheBitsOfOne) {
  const Vector times = {0.0, 1.0, -2.5, 0.125, 3.0, 7.0, 1e-3, 4.0, 5.0};
  for (const auto& [name, x] : generators()) {
    const ExponentialFamily family(x);
    Vector v;
    for (Index i = 0; i < x.rows(); ++i) v.push_back(std::cos(static_cast<double>(i)));
    const std::vector<Matrix> matrices = family.at(times);
    const Matrix images = family.apply(times, v);
    ASSERT_EQ(matrices.size(), times.size());
    for (std::size_t k = 0; k < times.size(); ++k) {
      const Matrix one = family.at(times[k]);
      EXPECT_TRUE(std::ranges::equal(matrices[k].values(), one.values())) << name;
      Vector image = v;
      family.apply(times[k], image);
      EXPECT_TRUE(std::ranges::equal(images.row(static_cast<Index>(k)), image)) << name;
    }
  }
}

TEST(ExponentialFamily, TurnsByTheExactAngleHoweverFar) {
  const double w = 0.7, t = 1e6 + 0.3;
  const Matrix a = ExponentialFamily(from_rows(2, {0, -w, w, 0})).at(t);
  const CosSin turn = cos_sin(t, w);
  const double c = turn.cos.high, s = turn.sin.high;
  EXPECT_NEAR(a(0, 0), c, kEpsilon);
  EXPECT_NEAR(a(1, 0), s, kEpsilon);
  EXPECT_NEAR(a(0, 1), -s, kEpsilon);
}

TEST(ExponentialFamily, SpiralsShrinkAndTurn) {
  const Matrix a = ExponentialFamily(from_rows(2, {-0.01, -3.0, 3.0, -0.01})).at(1000.0);
  EXPECT_NEAR(a(0, 0), std::exp(-10.0) * std::cos(3000.0), 1e-15 * std::exp(-10.0));
  EXPECT_NEAR(a(1, 0), std::exp(-10.0) * std::sin(3000.0), 1e-15 * std::exp(-10.0));
}

// [[0, b], [c, 0]] with -bc = w^2 turns by w in a basis that is not orthogonal.
TEST(ExponentialFamily, PairsNeedNotBeNormal) {
  const ExponentialFamily family(from_rows(2, {0, 100.0, -0.01, 0}));
  EXPECT_TRUE(family.decoupled());
  const Matrix a = family.at(2.0);
  EXPECT_NEAR(a(0, 0), std::cos(2.0), 1e-15);
  EXPECT_NEAR(a(0, 1), 100.0 * std::sin(2.0), 1e-13);
  EXPECT_NEAR(a(1, 0), -0.01 * std::sin(2.0), 1e-17);
}

TEST(ExponentialFamily, NilpotentGeneratorsArePolynomials) {
  const ExponentialFamily family(from_rows(3, {0, 1, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_FALSE(family.decoupled());
  for (const double t : {0.5, 3.0, 1e6}) {
    const Matrix a = family.at(t);
    EXPECT_NEAR(a(0, 1), t, 1e-14 * t);
    EXPECT_NEAR(a(0, 2), 0.5 * t * t, 1e-14 * t * t);
    EXPECT_EQ(a(1, 1), 1.0);
    EXPECT_EQ(a(2, 0), 0.0);
  }
}

// Squaring from e^(-t/2^s) alone loses digits of e^(-t) with t.
TEST(ExponentialFamily, DiagonalOfADefectiveGeneratorDoesNotDrift) {
  const Matrix a = ExponentialFamily(from_rows(2, {-1.0, 1e4, 0, -1.0})).at(600.0);
  EXPECT_NEAR(a(0, 0), std::exp(-600.0), 1e-15 * std::exp(-600.0));
  EXPECT_NEAR(a(0, 1), 6e6 * std::exp(-600.0), 1e-12 * 6e6 * std::exp(-600.0));
}

TEST(ExponentialFamily, SkewGeneratorsStayOrthogonalAtEveryTime) {
  for (const double t : {1.0, 1e5, 1e9}) {
    const Matrix a = ExponentialFamily(random_skew(32)).at(t);
    EXPECT_LT((as_eigen(a) * as_eigen(a).transpose() - EigenMatrix::Identity(32, 32)).norm(),
              1e-13);
  }
}

TEST(ExponentialFamily, NormalGeneratorsKeepTheirPhaseAtFarTimes) {
  const Index d = 64;
  const ExponentialFamily family(random_normal(d));
  ASSERT_TRUE(family.decoupled());
  // exp(t(X - X^T)/2): the turns without the decay, whose frequencies are 0.9^i.
  const auto x = as_eigen(family.generator());
  const ExponentialFamily turns(to_matrix(0.5 * (x - x.transpose())));
  const double t = 1e6;
  double trace = 0.0;
  for (Index i = 0; i + 1 < d; i += 2)
    trace += 2.0 * std::cos(t * std::pow(0.9, static_cast<double>(i)));
  const Matrix a = turns.at(t);
  // The frequencies are those of a rounded X: each is off by some |X| epsilon, times t.
  EXPECT_NEAR(as_eigen(a).trace(), trace, t * 100.0 * kEpsilon);
}

TEST(ExponentialFamily, KnowsNormalGenerators) {
  for (const Index d : {2, 3, 16, 65, 128}) {
    EXPECT_TRUE(ExponentialFamily(random_normal(d)).decoupled()) << d;
    EXPECT_TRUE(ExponentialFamily(random_skew(d)).decoupled()) << d;
  }
  EXPECT_FALSE(ExponentialFamily(random_defective(8)).decoupled());
  EXPECT_FALSE(ExponentialFamily(to_matrix(random_matrix(8, 9))).decoupled());
  EXPECT_FALSE(ExponentialFamily(from_rows(2, {1.0, 1e-12, 0.0, 1.0})).decoupled());
}

TEST(ExponentialFamily, RefusesWhatOverflows) {
  const ExponentialFamily growing(from_rows(2, {1.0, 0, 0, -1.0}));
  EXPECT_TRUE(std::isfinite(growing.at(709.0)(0, 0)));
  expect_error(ErrorCode::kNumeric, "overflows at t=710", [&] { growing.at(710.0); });
  expect_error(ErrorCode::kNumeric, "overflows at t=-710", [&] { growing.at(-710.0); });
  const ExponentialFamily chain(from_rows(2, {1.0, 1e100, 0, 1.0}));
  expect_error(ErrorCode::kNumeric, "2^26", [&] { chain.at(1.0); });
  Vector x = {1.0, 1.0};
  expect_error(ErrorCode::kNumeric, "overflows", [&] { growing.apply(800.0, x); });
  EXPECT_EQ(ExponentialFamily(from_rows(1, {-1.0})).at(1e9)(0, 0), 0.0);
}

TEST(ExponentialFamily, LimitsTheNormOnlyWhereDigitsAreLost) {
  const double far = 1e9;
  EXPECT_NO_THROW(ExponentialFamily(random_normal(6)).at(far));
  expect_error(ErrorCode::kNumeric, "below 2^26",
               [&] { ExponentialFamily(random_defective(6)).at(far); });
  expect_error(ErrorCode::kNumeric, "below 2^42",
               [] { ExponentialFamily(random_skew(4)).at(0x1p42); });
}

TEST(ExponentialFamily, RefusesWhatIsNoGenerator) {
  expect_error(ErrorCode::kUsage, "square", [] { ExponentialFamily(Matrix(2, 3)); });
  expect_error(ErrorCode::kUsage, "square", [] { ExponentialFamily(Matrix(0, 0)); });
  expect_error(ErrorCode::kNumeric, "2^500",
               [] { ExponentialFamily(from_rows(1, {std::nan("")})); });
  const ExponentialFamily family(Matrix(2, 2));
  expect_error(ErrorCode::kNumeric, "t must be finite", [&] { family.at(std::nan("")); });
  Vector x(3);
  expect_error(ErrorCode::kUsage, "2 entries but has 3", [&] { family.apply(1.0, x); });
}

// [L1, L2] = L3 for the generators of the rotations of space, each of norm sqrt(2).
TEST(CommutatorNorm, IsThatOfTheWorstPair) {
  const std::vector<Matrix> turns = {from_rows(3, {0, 0, 0, 0, 0, -1, 0, 1, 0}),
                                     from_rows(3, {0, 0, 1, 0, 0, 0, -1, 0, 0}),
                                     from_rows(3, {2, 0, 0, 0, 2, 0, 0, 0, 2}), Matrix(3, 3)};
  EXPECT_DOUBLE_EQ(commutator_norm(turns), std::sqrt(0.5));
  EXPECT_EQ(commutator_norm(std::span(turns).subspan(1)), 0.0);
  EXPECT_EQ(commutator_norm(std::span(turns).first(1)), 0.0);
}

}  // namespace
}  // namespace sextant
