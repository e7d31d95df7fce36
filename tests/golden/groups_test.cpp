// SPDX-License-Identifier: Apache-2.0
// Operators against the closed forms of their families, entry by entry.
#include <gtest/gtest.h>

#include <cmath>

#include "sextant/registry.h"

namespace sextant {
namespace {

Matrix operator_at(const std::string& spec, Index dim, const Position& lag) {
  return encodings().make(spec)->effects({.dim = dim}).query_key->at(lag);
}

// Su et al., equation 16: engines turn query and key by +w t. In the mirrored basis, the second
// coordinate of every pair negated, that is the group with A(lag) = R(w lag).
TEST(RopeGolden, EnginesUseTheMirroredBasis) {
  const auto turned = [](const Vector& x, double t) {  // half pairing, d = 4, w = 1 and 0.01
    const double w[] = {1.0, 0.01};
    Vector y(4);
    for (std::size_t i = 0; i < 2; ++i) {
      const double c = std::cos(t * w[i]), s = std::sin(t * w[i]);
      y[i] = c * x[i] - s * x[i + 2];
      y[i + 2] = s * x[i] + c * x[i + 2];
    }
    return y;
  };
  const Vector q = {0.3, -1.2, 0.7, 2.0}, k = {1.1, 0.4, -0.6, 0.9};
  const Vector turned_q = turned(q, 11.0), turned_k = turned(k, 4.0);
  double engine = 0.0;
  for (std::size_t i = 0; i < 4; ++i) engine += turned_q[i] * turned_k[i];

  const auto effects = encodings().make("rope")->effects({.dim = 4});
  const Vector mirrored_q = {q[0], q[1], -q[2], -q[3]}, mirrored_k = {k[0], k[1], -k[2], -k[3]};
  EXPECT_NEAR(fast_logit(effects, 0, 11.0, 4.0, mirrored_q, mirrored_k), engine, 1e-14);
}

TEST(JordanGolden, ComplexBlockOfOrderTwo) {
  const Matrix a = operator_at("jordan(order=2,decay=0.5,eta=3,scale=10)", 4, 2.0);
  const double scale = std::exp(-0.5 * 2.0 / 10.0), shift = 3.0 * 2.0 / 10.0;
  const double c = scale * std::cos(2.0), s = scale * std::sin(2.0);
  const double expected[4][4] = {
      {c, -s, shift * c, -shift * s}, {s, c, shift * s, shift * c}, {0, 0, c, -s}, {0, 0, s, c}};
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 4; ++j) EXPECT_NEAR(a(i, j), expected[i][j], 1e-15) << i << "," << j;
}

TEST(JordanGolden, RawCouplingIsNotScaled) {
  const Matrix a = operator_at("jordan(decay=0.5,eta=3,regime=raw)", 4, 2.0);
  EXPECT_NEAR(a(0, 2), std::exp(-1.0) * 6.0 * std::cos(2.0), 1e-15);
}

TEST(JordanGolden, StabilisedPolynomialSaturates) {
  const Matrix a = operator_at("jordan(decay=0,eta=1,scale=10,regime=stabilised)", 4, 30.0);
  EXPECT_NEAR(a(0, 2), 30.0 / (1.0 + 3.0) / 10.0 * std::cos(30.0), 1e-15);
}

TEST(SpiralGolden, DampedRotation) {
  const Matrix a = operator_at("spiral(rate=0.1,pairing=interleaved)", 4, 3.0);
  EXPECT_NEAR(a(0, 0), std::exp(-0.3) * std::cos(3.0), 1e-15);
  EXPECT_NEAR(a(3, 2), std::exp(-0.3) * std::sin(0.03), 1e-16);
}

TEST(DecayGolden, RatesFormALadder) {
  const Matrix a = operator_at("decay(rate=0.2,base=100)", 2, 5.0);
  EXPECT_NEAR(a(0, 0), std::exp(-1.0), 1e-16);
  EXPECT_NEAR(a(1, 1), std::exp(-0.1), 1e-15);
  EXPECT_EQ(a(0, 1), 0.0);
}

TEST(AxialGolden, EachAxisTurnsItsOwnPairs) {
  const double lag[] = {2.0, 7.0};
  const Matrix a = operator_at("axial(axes=2,pairing=interleaved)", 8, Position(lag));
  EXPECT_NEAR(a(1, 0), std::sin(2.0), 1e-16);
  EXPECT_NEAR(a(3, 2), std::sin(0.02), 1e-17);
  EXPECT_NEAR(a(5, 4), std::sin(7.0), 1e-15);
  EXPECT_NEAR(a(7, 6), std::sin(0.07), 1e-16);
}

TEST(XposGolden, QueryGrowsAndKeyShrinksByTheSameFactor) {
  const Matrix a = operator_at("xpos(pairing=interleaved)", 2, 512.0);
  EXPECT_NEAR(a(0, 0), 0.4 / 1.4 * std::cos(512.0), 1e-14);
}

// Zhang et al.: I + sin(w)/w L + (1 - cos w)/w^2 L^2, with w the area of a and b.
TEST(GrapeGolden, RodriguesFormula) {
  const Tensor ab{.shape = {2, 3}, .values = {1, 2, 0.5, -0.3, 0.7, 2}};
  const auto effects = encodings().make("grape", {{"file", ab}})->effects({.dim = 3});
  const Matrix found = effects.query_key->at(1.7);
  const double* a = ab.values.data();
  const double* b = a + 3;
  double aa = 0.0, bb = 0.0, dot = 0.0, skew[3][3];
  for (int i = 0; i < 3; ++i) {
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    dot += a[i] * b[i];
    for (int j = 0; j < 3; ++j) skew[i][j] = a[i] * b[j] - b[i] * a[j];
  }
  const double w = std::sqrt(aa * bb - dot * dot), angle = 1.7 * w;
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 3; ++j) {
      double square = 0.0;
      for (Index k = 0; k < 3; ++k) square += skew[i][k] * skew[k][j];
      const double expected = (i == j ? 1.0 : 0.0) + std::sin(angle) / w * skew[i][j] +
                              (1.0 - std::cos(angle)) / (w * w) * square;
      EXPECT_NEAR(found(i, j), expected, 1e-14);
    }
  }
}

}  // namespace
}  // namespace sextant
