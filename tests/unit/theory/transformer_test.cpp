// SPDX-License-Identifier: Apache-2.0
#include "sextant/transformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sextant/error.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

Matrix tokens(Index n, Index dim) {
  Matrix x(n, dim);
  for (std::size_t i = 0; i < x.values().size(); ++i)
    x.values()[i] = std::sin(1.0 + 2.3 * static_cast<double>(i));
  return x;
}

// Zero queries leave the bias alone: weights are exp(-slope |lag|) over their sum, and GELU(x) is
// x times the share of a normal variable below x.
TEST(Transformer, HeadsWithoutContentFollowTheirBias) {
  const TransformerShape shape{.layers = 1, .dim = 4, .heads = 2, .hidden = 0};
  Transformer model = Transformer::random(shape, 1);
  model.layers.front().query = Matrix(4, 4);
  const Effects effects{.logit = LogitBias{.at = [](Index head, double s, double t) {
                          return -0.5 * static_cast<double>(head + 1) * std::abs(s - t);
                        }}};
  for (const Index head : {0, 1}) {
    const Matrix weights =
        attention_weights(model.layers.front(), shape, effects, tokens(3, 4), head);
    const double near = std::exp(-0.5 * static_cast<double>(head + 1)), far = near * near;
    EXPECT_NEAR(weights(0, 0), 1.0 / (1.0 + near + far), 1e-15);
    EXPECT_NEAR(weights(0, 2), far / (1.0 + near + far), 1e-15);
    EXPECT_NEAR(weights(1, 0), near / (1.0 + 2.0 * near), 1e-15);
  }
}

TEST(Transformer, RowsWithoutAnyKeyAttendToNothing) {
  const TransformerShape shape{
      .layers = 1, .dim = 4, .heads = 1, .hidden = 0, .norm = NormPlace::kNone};
  const Transformer model = Transformer::random(shape, 1);
  const Effects effects{.logit = LogitBias{.at = [](Index, double s, double) {
                          return s == 1.0 ? -std::numeric_limits<double>::infinity() : 0.0;
                        }}};
  const Matrix x = tokens(3, 4), y = forward(model, effects, x);
  for (Index i = 0; i < 4; ++i) EXPECT_EQ(y(1, i), x(1, i));
  EXPECT_NE(y(0, 0), x(0, 0));
}

TEST(Transformer, FeedForwardIsGelu) {
  const TransformerShape shape{
      .layers = 1, .dim = 1, .heads = 1, .hidden = 1, .norm = NormPlace::kNone};
  Transformer model = Transformer::random(shape, 1);
  TransformerLayer& layer = model.layers.front();
  layer.output = Matrix(1, 1);
  layer.up = layer.down = Matrix::identity(1);
  layer.up_bias = layer.down_bias = {0.0};
  Matrix x(1, 1);
  x(0, 0) = 1.0;
  EXPECT_NEAR(forward(model, {}, x)(0, 0), 1.0 + 0.841344746068543, 1e-15);  // 1 + Phi(1)
}

TEST(Transformer, FeedForwardIsReluWhereAsked) {
  const TransformerShape shape{.layers = 1,
                               .dim = 1,
                               .heads = 1,
                               .hidden = 1,
                               .norm = NormPlace::kNone,
                               .activation = Activation::kRelu};
  Transformer model = Transformer::random(shape, 1);
  TransformerLayer& layer = model.layers.front();
  layer.output = Matrix(1, 1);
  layer.up = layer.down = Matrix::identity(1);
  layer.up_bias = layer.down_bias = {0.0};
  Matrix x(2, 1);
  x(0, 0) = -3.0;
  x(1, 0) = 2.0;
  const Matrix y = forward(model, {}, x);
  EXPECT_EQ(y(0, 0), -3.0);
  EXPECT_EQ(y(1, 0), 4.0);
}

// One token x = (3, 1) attends to itself: x + x = (6, 2) has mean 4 and variance 4, so that its
// norm is a (1, -1) with a = 2 / sqrt(4 + epsilon). Gain (1, 2) and shift (1/2, 0) make it
// (a + 1/2, -2a); the feed-forward part adds max(a + 1/2, 0) to the second coordinate. The two
// differ from their mean 1/2 by a and -a.
TEST(Transformer, NormAfterAPartIsTheOneByHand) {
  const TransformerShape shape{.layers = 1,
                               .dim = 2,
                               .heads = 1,
                               .hidden = 1,
                               .norm = NormPlace::kAfter,
                               .activation = Activation::kRelu};
  Transformer model = Transformer::random(shape, 1);
  TransformerLayer& layer = model.layers.front();
  layer.value = layer.output = Matrix::identity(2);
  layer.attention_gain = {1.0, 2.0};
  layer.attention_shift = {0.5, 0.0};
  layer.up = Matrix(1, 2);
  layer.up(0, 0) = 1.0;
  layer.down = Matrix(2, 1);
  layer.down(1, 0) = 1.0;
  layer.up_bias = {0.0};
  layer.down_bias = {0.0, 0.0};
  layer.feed_forward_gain = {3.0, 5.0};
  layer.feed_forward_shift = {0.0, 7.0};
  Matrix x(1, 2);
  x(0, 0) = 3.0;
  x(0, 1) = 1.0;
  const double a = 2.0 / std::sqrt(4.0 + kNormEpsilon), b = a / std::sqrt(a * a + kNormEpsilon);
  const Matrix y = forward(model, {}, x);
  EXPECT_NEAR(y(0, 0), 3.0 * b, 1e-14);
  EXPECT_NEAR(y(0, 1), 7.0 - 5.0 * b, 1e-14);
  model.shape.norm_epsilon = 12.0;  // 2 / sqrt(4 + 12) = 1/2, and 1/2 / sqrt(1/4 + 12) = 1/7
  const Matrix flat = forward(model, {}, x);
  EXPECT_NEAR(flat(0, 0), 3.0 / 7.0, 1e-14);
  EXPECT_NEAR(flat(0, 1), 7.0 - 5.0 / 7.0, 1e-14);
}

// Weights of a row sum to 1: each token gets W_o b_v + b_o more.
TEST(Transformer, BiasesOfValueAndOutputMoveAllTokensAlike) {
  const TransformerShape shape{
      .layers = 1, .dim = 4, .heads = 2, .hidden = 0, .norm = NormPlace::kNone};
  Transformer model = Transformer::random(shape, 1);
  const Matrix x = tokens(3, 4), plain = forward(model, {}, x);
  TransformerLayer& layer = model.layers.front();
  layer.value_bias = {0.5, -1.0, 2.0, 0.25};
  layer.output_bias = {1.0, 2.0, 3.0, 4.0};
  const Matrix moved = forward(model, {}, x);
  for (Index i = 0; i < 4; ++i) {
    double more = static_cast<double>(i + 1);
    for (Index j = 0; j < 4; ++j)
      more += layer.output(i, j) * layer.value_bias[static_cast<std::size_t>(j)];
    for (Index s = 0; s < 3; ++s) EXPECT_NEAR(moved(s, i) - plain(s, i), more, 1e-14);
  }
}

// Without content a query and a key that are both (1, 0) meet as cos(s - t) under a rotation.
TEST(Transformer, BiasesOfQueryAndKeyAreTurnedAsContentIs) {
  const TransformerShape shape{.layers = 1, .dim = 2, .heads = 1, .hidden = 0};
  TransformerLayer layer = Transformer::random(shape, 1).layers.front();
  layer.query = layer.key = Matrix(2, 2);
  layer.query_bias = layer.key_bias = {1.0, 0.0};
  const auto rope = encodings().make("rope");
  const Matrix weights =
      attention_weights(layer, shape, transformer_effects(*rope, shape, 4), tokens(4, 2), 0);
  for (Index s = 0; s < 4; ++s)
    for (Index t = 0; t < 4; ++t)
      EXPECT_NEAR(std::log(weights(s, t) / weights(s, s)),
                  (std::cos(static_cast<double>(s - t)) - 1.0) / std::numbers::sqrt2, 1e-14);
}

// Standardised rows do not change when the row is scaled and shifted, up to the epsilon.
TEST(Transformer, LayerNormForgetsScaleAndMean) {
  const TransformerShape shape{.layers = 1, .dim = 8, .heads = 2, .hidden = 8};
  const Transformer model = Transformer::random(shape, 1);
  const Matrix x = tokens(5, 8);
  Matrix scaled = x;
  for (double& value : scaled.values()) value = 1e6 * value + 3e6;
  Matrix large = x;
  for (double& value : large.values()) value *= 1e6;
  const Matrix a = forward(model, {}, large), b = forward(model, {}, scaled);
  for (std::size_t i = 0; i < a.values().size(); ++i)
    EXPECT_NEAR(a.values()[i] - large.values()[i], b.values()[i] - scaled.values()[i], 1e-7);
}

// Keys after the query do not exist under a causal mask: a prefix does not see what follows.
TEST(Transformer, CausalPrefixesDoNotDependOnWhatFollows) {
  TransformerShape shape{.layers = 2, .dim = 8, .heads = 2, .hidden = 8, .causal = true};
  for (const NormPlace norm : {NormPlace::kBefore, NormPlace::kAfter}) {
    shape.norm = norm;
    const Transformer model = Transformer::random(shape, 1);
    for (const char* spec : {"rope", "xpos", "alibi", "shaw", "sinusoidal"}) {
      const auto encoding = encodings().make(spec);
      const Effects effects = transformer_effects(*encoding, shape, 70);
      const Matrix x = tokens(70, 8);
      Matrix prefix(66, 8);
      std::copy_n(x.values().begin(), prefix.values().size(), prefix.values().begin());
      const Matrix whole = forward(model, effects, x), part = forward(model, effects, prefix);
      for (std::size_t i = 0; i < part.values().size(); ++i)
        ASSERT_NEAR(part.values()[i], whole.values()[i], 1e-12) << spec;
    }
  }
}

// A causal mean of equal values is their value, whatever the number of keys: the mask alone tells
// positions apart by content only.
TEST(Transformer, CausalMaskDoesNotCountOnAConstantSequence) {
  TransformerShape shape{.layers = 3, .dim = 8, .heads = 2, .hidden = 16, .causal = true};
  const auto spread = [&shape](const char* spec, const Matrix& x) {
    const Transformer model = Transformer::random(shape, 5);
    const auto encoding = encodings().make(spec);
    const Matrix out = forward(model, transformer_effects(*encoding, shape, x.rows()), x);
    double largest = 0.0;
    for (Index s = 1; s < out.rows(); ++s)
      for (Index i = 0; i < out.cols(); ++i)
        largest = std::max(largest, std::abs(out(s, i) - out(0, i)));
    return largest;
  };
  Matrix constant(70, 8), first_differs(70, 8);
  for (Index s = 0; s < 70; ++s)
    for (Index i = 0; i < 8; ++i)
      constant(s, i) = first_differs(s, i) = std::sin(1.0 + static_cast<double>(i));
  first_differs(0, 0) += 1.0;
  for (const NormPlace norm : {NormPlace::kNone, NormPlace::kBefore, NormPlace::kAfter}) {
    shape.norm = norm;
    EXPECT_LE(spread("none", constant), 1e-12);
    EXPECT_GT(spread("none", first_differs), 1e-3) << "by content it does";
    EXPECT_GT(spread("sinusoidal", constant), 1e-3);
  }
}

TEST(Transformer, RefusesWhatDoesNotFit) {
  EXPECT_THROW(Transformer::random({.dim = 6, .heads = 4}, 1), Error);
  const TransformerShape shape{.dim = 8, .heads = 2};
  const Transformer model = Transformer::random(shape, 1);
  EXPECT_THROW(forward(model, {}, tokens(3, 7)), Error);
  const auto rope = encodings().make("rope");
  const Effects wide = rope->effects({.positions = 3, .dim = 8, .heads = 2});
  EXPECT_THROW(forward(model, wide, tokens(3, 8)), Error);
  EXPECT_THROW(attention_weights(model.layers.front(), shape, {}, tokens(3, 8), 2), Error);
}

}  // namespace
}  // namespace sextant
