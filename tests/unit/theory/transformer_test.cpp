// SPDX-License-Identifier: Apache-2.0
#include "sextant/transformer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

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
  const TransformerShape shape{.layers = 1, .dim = 4, .heads = 1, .hidden = 0, .layer_norm = false};
  const Transformer model = Transformer::random(shape, 1);
  const Effects effects{.logit = LogitBias{.at = [](Index, double s, double) {
                          return s == 1.0 ? -std::numeric_limits<double>::infinity() : 0.0;
                        }}};
  const Matrix x = tokens(3, 4), y = forward(model, effects, x);
  for (Index i = 0; i < 4; ++i) EXPECT_EQ(y(1, i), x(1, i));
  EXPECT_NE(y(0, 0), x(0, 0));
}

TEST(Transformer, FeedForwardIsGelu) {
  const TransformerShape shape{.layers = 1, .dim = 1, .heads = 1, .hidden = 1, .layer_norm = false};
  Transformer model = Transformer::random(shape, 1);
  TransformerLayer& layer = model.layers.front();
  layer.output = Matrix(1, 1);
  layer.up = layer.down = Matrix::identity(1);
  layer.up_bias = layer.down_bias = {0.0};
  Matrix x(1, 1);
  x(0, 0) = 1.0;
  EXPECT_NEAR(forward(model, {}, x)(0, 0), 1.0 + 0.841344746068543, 1e-15);  // 1 + Phi(1)
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
  const TransformerShape shape{.layers = 2, .dim = 8, .heads = 2, .hidden = 8, .causal = true};
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
