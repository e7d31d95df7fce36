// SPDX-License-Identifier: Apache-2.0
#include "sextant/transformer.h"

#include <cmath>

#include "base/check.h"
#include "base/rng.h"
#include "encoding/compose.h"
#include "theory/layer.h"

namespace sextant {
namespace {

constexpr double kSmall = 0.1;  // deviation of biases and shifts, and of gains from 1

void check_shape(const TransformerShape& shape) {
  require(shape.layers >= 0 && shape.hidden >= 0, "transformer",
          "layers and hidden must not be negative but got {} and {}", shape.layers, shape.hidden);
  require(shape.dim >= 1 && shape.heads >= 1 && shape.dim % shape.heads == 0, "transformer",
          "dim must be a positive multiple of heads but got {} and {}", shape.dim, shape.heads);
}

// Numbers of one layer, each drawn once.
class Draw {
 public:
  Draw(std::uint64_t seed, Index layer) : rng_(seed, static_cast<std::uint64_t>(layer)) {}

  Matrix matrix(Index rows, Index cols, double gain) {
    Matrix result(rows, cols);
    const double deviation = gain / std::sqrt(static_cast<double>(cols));
    for (double& value : result.values()) value = deviation * rng_.normal(next_++);
    return result;
  }
  Vector near(double mean, Index size) {
    Vector result(static_cast<std::size_t>(size));
    for (double& value : result) value = mean + kSmall * rng_.normal(next_++);
    return result;
  }

 private:
  Rng rng_;
  std::uint64_t next_ = 0;
};

void check_input(const TransformerShape& shape, const Matrix& x) {
  require(x.cols() == shape.dim, "transformer", "tokens must have {} coordinates but have {}",
          shape.dim, x.cols());
}

}  // namespace

Transformer Transformer::random(const TransformerShape& shape, std::uint64_t seed, double gain) {
  check_shape(shape);
  Transformer model{.shape = shape, .layers = {}};
  const Index d = shape.dim;
  for (Index i = 0; i < shape.layers; ++i) {
    Draw draw(seed, i);
    TransformerLayer layer;
    for (Matrix* weights : {&layer.query, &layer.key, &layer.value, &layer.output})
      *weights = draw.matrix(d, d, gain);
    layer.up = draw.matrix(shape.hidden, d, gain);
    layer.down = draw.matrix(d, shape.hidden, gain);
    layer.up_bias = draw.near(0.0, shape.hidden);
    layer.down_bias = draw.near(0.0, d);
    layer.attention_gain = draw.near(1.0, d);
    layer.attention_shift = draw.near(0.0, d);
    layer.feed_forward_gain = draw.near(1.0, d);
    layer.feed_forward_shift = draw.near(0.0, d);
    model.layers.push_back(std::move(layer));
  }
  return model;
}

Effects transformer_effects(const Encoding& encoding, const TransformerShape& shape,
                            Index positions) {
  check_shape(shape);
  Effects result;
  for (const auto& part : parts_of(encoding))  // a table of values has one width, a map another
    add_effects(transformer_effects(*part, shape, positions), result);
  if (!parts_of(encoding).empty()) return result;
  const Sites& sites = encoding.info().sites;
  if (sites.query_key || sites.logit || sites.key_offset)
    result = encoding.effects(
        {.positions = positions, .dim = shape.dim / shape.heads, .heads = shape.heads});
  if (sites.input)
    result.input =
        encoding.effects({.positions = positions, .dim = shape.dim, .heads = shape.heads}).input;
  return result;
}

Matrix forward(const Transformer& model, const Effects& effects, const Matrix& x) {
  check_shape(model.shape);
  check_input(model.shape, x);
  const PositionTerms terms(effects, model.shape, x.rows());
  return to_matrix(residual_stream(model, terms, as_eigen(x)));
}

Matrix attention_weights(const TransformerLayer& layer, const TransformerShape& shape,
                         const Effects& effects, const Matrix& z, Index head) {
  check_shape(shape);
  check_input(shape, z);
  require(head >= 0 && head < shape.heads, "transformer", "head must be 0 to {} but got {}",
          shape.heads - 1, head);
  const PositionTerms terms(effects, shape, z.rows());
  return to_matrix(Attention(layer, terms, as_eigen(z)).weights(head));
}

}  // namespace sextant
