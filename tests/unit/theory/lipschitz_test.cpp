// SPDX-License-Identifier: Apache-2.0
#include "theory/lipschitz.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "base/rng.h"
#include "sextant/error.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

Matrix random_matrix(Index rows, Index cols, std::uint64_t stream) {
  Matrix x(rows, cols);
  const Rng rng(11, stream);
  for (std::size_t i = 0; i < x.values().size(); ++i) x.values()[i] = rng.normal(i);
  return x;
}

Matrix moved(const Matrix& x, const Matrix& dx, double step) {
  Matrix result = x;
  for (std::size_t i = 0; i < x.values().size(); ++i) result.values()[i] += step * dx.values()[i];
  return result;
}

double dot(const Matrix& a, const Matrix& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.values().size(); ++i) sum += a.values()[i] * b.values()[i];
  return sum;
}

// One encoding per site, one map that does not split, and everything at once.
constexpr const char* kSpecs[] = {"none",
                                  "sinusoidal",
                                  "rope",
                                  "spiral",
                                  "alibi",
                                  "shaw",
                                  "xl",
                                  "jordan(regime=stabilised)",
                                  "sinusoidal+rope+alibi+shaw"};

Vector random_bias(Index dim, std::uint64_t stream) {
  const Matrix row = random_matrix(1, dim, stream);
  return {row.values().begin(), row.values().end()};
}

// Encoding, place of the norm, activation, and whether attention has biases.
using LayerKind = std::tuple<const char*, NormPlace, Activation, bool>;

class LayerDerivative : public testing::TestWithParam<LayerKind> {
 protected:
  LayerDerivative() {
    if (!std::get<3>(GetParam())) return;
    TransformerLayer& layer = model_.layers.front();
    std::uint64_t stream = 10;
    for (Vector* bias : {&layer.query_bias, &layer.key_bias, &layer.value_bias, &layer.output_bias})
      *bias = random_bias(shape_.dim, stream++);
  }

  static constexpr Index kTokens = 6;
  TransformerShape shape_{.layers = 1,
                          .dim = 8,
                          .heads = 2,
                          .hidden = 12,
                          .norm = std::get<1>(GetParam()),
                          .activation = std::get<2>(GetParam()),
                          .causal = true};
  Transformer model_ = Transformer::random(shape_, 5);
  std::unique_ptr<Encoding> encoding_ = encodings().make(std::get<0>(GetParam()));
  Effects effects_ = transformer_effects(*encoding_, shape_, kTokens);
  Matrix x_ = random_matrix(kTokens, 8, 0);
};

TEST_P(LayerDerivative, PushforwardIsTheLimitOfDifferences) {
  const Matrix dx = random_matrix(kTokens, 8, 1);
  const double h = 1e-5;  // error h^2 of the formula, 1e-16 / h of rounding
  const Matrix up = forward(model_, effects_, moved(x_, dx, h)),
               down = forward(model_, effects_, moved(x_, dx, -h)),
               dy = layer_pushforward(model_.layers[0], shape_, effects_, x_, dx);
  for (std::size_t i = 0; i < dy.values().size(); ++i)
    EXPECT_NEAR(dy.values()[i], (up.values()[i] - down.values()[i]) / (2.0 * h), 1e-7);
}

TEST_P(LayerDerivative, PullbackIsTheTransposeOfThePushforward) {
  for (const bool causal : {true, false}) {
    shape_.causal = causal;
    const Matrix v = random_matrix(kTokens, 8, 2), u = random_matrix(kTokens, 8, 3);
    const double forth = dot(u, layer_pushforward(model_.layers[0], shape_, effects_, x_, v));
    const double back = dot(layer_pullback(model_.layers[0], shape_, effects_, x_, u), v);
    EXPECT_NEAR(forth, back, 1e-12 * (1.0 + std::abs(forth)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Sites, LayerDerivative,
    testing::Combine(testing::ValuesIn(kSpecs),
                     testing::Values(NormPlace::kNone, NormPlace::kBefore, NormPlace::kAfter),
                     testing::Values(Activation::kGelu, Activation::kRelu), testing::Bool()));

// x + max(x, 0) of one unit: slope 2 above the kink, 1 below, and 1 at it.
TEST(LayerPushforward, OfReluAtItsKinkIsThatFromBelow) {
  const TransformerShape shape{.layers = 1,
                               .dim = 1,
                               .heads = 1,
                               .hidden = 1,
                               .norm = NormPlace::kNone,
                               .activation = Activation::kRelu};
  TransformerLayer layer = Transformer::random(shape, 1).layers.front();
  layer.output = Matrix(1, 1);
  layer.up = layer.down = Matrix::identity(1);
  layer.up_bias = {0.0};
  Matrix x(1, 1);
  for (const auto& [at, slope] : {std::pair(-1.0, 1.0), {0.0, 1.0}, {1.0, 2.0}}) {
    x(0, 0) = at;
    EXPECT_EQ(layer_pushforward(layer, shape, {}, x, Matrix::identity(1))(0, 0), slope) << at;
    EXPECT_EQ(layer_pullback(layer, shape, {}, x, Matrix::identity(1))(0, 0), slope) << at;
  }
}

// Without queries attention is the mean of the values. With W_v = 3 I, W_o = I the layer is
// X + 3 (1 1^T / n) X: its largest singular value is 1 + 3, for equal changes of all tokens.
TEST(LayerLipschitz, OfAveragingIsKnown) {
  const TransformerShape shape{
      .layers = 1, .dim = 4, .heads = 1, .hidden = 0, .norm = NormPlace::kNone};
  TransformerLayer layer = Transformer::random(shape, 1).layers.front();
  layer.query = Matrix(4, 4);
  layer.output = layer.value = Matrix::identity(4);
  for (double& value : layer.value.values()) value *= 3.0;
  for (const double radius : {1.0, 100.0})
    EXPECT_NEAR(layer_lipschitz(layer, shape, {}, 7, radius, 2, 1), 4.0, 1e-4);
}

// GELU's slope is largest at sqrt 2: Phi(sqrt 2) + sqrt 2 phi(sqrt 2) = 1.1289.
TEST(LayerLipschitz, OfAFeedForwardPartIsThatOfGelu) {
  const TransformerShape shape{
      .layers = 1, .dim = 1, .heads = 1, .hidden = 1, .norm = NormPlace::kNone};
  TransformerLayer layer = Transformer::random(shape, 1).layers.front();
  layer.output = Matrix(1, 1);
  layer.up = layer.down = Matrix::identity(1);
  layer.up_bias = {0.0};
  const double slope = 0.5 * std::erfc(-1.0) + std::exp(-1.0) / std::sqrt(std::numbers::pi);
  const double found = layer_lipschitz(layer, shape, {}, 1, std::numbers::sqrt2, 16, 1);
  EXPECT_NEAR(found, 1.0 + slope, 1e-6);
}

TEST(LayerLipschitz, RefusesSizesThatDoNotFit) {
  const TransformerShape shape{.layers = 1, .dim = 4, .heads = 1};
  const TransformerLayer layer = Transformer::random(shape, 1).layers.front();
  EXPECT_THROW(layer_pushforward(layer, shape, {}, Matrix(3, 4), Matrix(2, 4)), Error);
  EXPECT_THROW(layer_pullback(layer, shape, {}, Matrix(3, 5), Matrix(3, 5)), Error);
  EXPECT_THROW(layer_lipschitz(layer, shape, {}, 0, 1.0, 1, 1), Error);
}

TEST(LayerLipschitz, IsNoNumberWhereTheLayerIsNone) {
  const TransformerShape shape{.layers = 1, .dim = 4, .heads = 1, .hidden = 8};
  const TransformerLayer layer = Transformer::random(shape, 1).layers.front();
  Effects effects;
  effects.logit = LogitBias{
      .at = [](Index, double, double) { return std::numeric_limits<double>::quiet_NaN(); }};
  EXPECT_TRUE(std::isnan(layer_lipschitz(layer, shape, effects, 3, 1.0, 2, 1)));
}

}  // namespace
}  // namespace sextant
