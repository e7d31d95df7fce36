// SPDX-License-Identifier: Apache-2.0
#include "math/complex_schur.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/jordan_matrix.h"

namespace sextant {
namespace {

TEST(ComplexSchur, HoldsConjugatesExactlyAndTheUpperFirst) {
  const std::vector<BlockFamily> blocks = {block(-0.5, 2.0), block(0.25, 0.0)};
  const ComplexSchur schur(similar(jordan_matrix(blocks), 5.0, 1));
  int pairs = 0;
  for (Index k = 0; k + 1 < schur.dim(); ++k) {
    if (schur.eigenvalue(k).imag() <= 0.0) continue;
    EXPECT_EQ(schur.eigenvalue(k + 1), std::conj(schur.eigenvalue(k)));
    EXPECT_NEAR(std::abs(schur.eigenvalue(k) - Complex(-0.5, 2.0)), 0.0, 1e-13);
    ++pairs;
  }
  EXPECT_EQ(pairs, 1);
}

TEST(ComplexSchur, LeadsWithWhatIsAskedForAndKeepsTheNorm) {
  const Matrix x = random_normal(7, 7, Rng(3, 0));
  ComplexSchur schur(x);
  const std::vector<Index> front = {5, 2};
  schur.lead(front);
  const auto t = schur.leading(7);
  EXPECT_EQ(t(0, 0), schur.eigenvalue(5));
  EXPECT_EQ(t(1, 1), schur.eigenvalue(2));
  EXPECT_NEAR(t.norm(), frobenius(x), 1e-13 * frobenius(x));
}

TEST(ComplexSchur, KnowsTheProjectorOfTwoEigenvalues) {
  // [[1, t], [0, 2]] has the right vector (1, 0) and the left vector (1, -t) for 1.
  Matrix x(2, 2);
  x(0, 0) = 1.0;
  x(0, 1) = 3.0;
  x(1, 1) = 2.0;
  ComplexSchur schur(x);
  const Vector conditions = schur.conditions({});
  EXPECT_NEAR(conditions[0], std::sqrt(10.0), 1e-13);
  EXPECT_NEAR(conditions[1], std::sqrt(10.0), 1e-13);
  EXPECT_NEAR(schur.projector_norm(1), std::sqrt(10.0), 1e-13);
  EXPECT_DOUBLE_EQ(schur.projector_norm(2), std::sqrt(2.0));
}

}  // namespace
}  // namespace sextant
