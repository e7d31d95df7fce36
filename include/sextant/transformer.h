// SPDX-License-Identifier: Apache-2.0
// A transformer's forward pass in double, plain and without a training framework: the reference
// for statements about attention, and for faster implementations.
#pragma once

#include <cstdint>
#include <vector>

#include "sextant/encoding.h"
#include "sextant/matrix.h"

namespace sextant {

enum class NormPlace {
  kNone,    // x + part(x)
  kBefore,  // x + part(norm(x))
  kAfter,   // norm(x + part(x))
};
enum class Activation { kGelu, kRelu };

inline constexpr double kNormEpsilon = 1e-5;

// A layer is attention, then a feed-forward part, each added to x, each with a norm of its own.
// Logits are (q^T A(s-t) k + u^T q
// + v^T k + c) / sqrt(dim / heads) plus the bias: linear terms scale with the content, biases do
// not. Masked pairs do not exist.
struct TransformerShape {
  Index layers = 2;
  Index dim = 32;  // of the residual stream; a multiple of heads
  Index heads = 4;
  Index hidden = 64;  // of the feed-forward part; 0: there is none
  NormPlace norm = NormPlace::kBefore;
  Activation activation = Activation::kGelu;
  bool causal = false;
  double norm_epsilon = kNormEpsilon;  // added to the variance of a row before a norm's root
};

// One row of x is a token: y = x W^T + b.
struct TransformerLayer {
  Matrix query, key, value, output;                      // [dim, dim]
  Vector query_bias, key_bias, value_bias, output_bias;  // [dim]; empty: there is none
  Matrix up, down;                                       // [hidden, dim], [dim, hidden]
  Vector up_bias, down_bias;                             // [hidden], [dim]
  Vector attention_gain, attention_shift;                // of the norm of attention, [dim]
  Vector feed_forward_gain, feed_forward_shift;  // of the norm of the feed-forward part, [dim]
};

struct Transformer {
  TransformerShape shape;
  std::vector<TransformerLayer> layers;

  // Gaussian weights of deviation gain / sqrt(fan in), small random biases and shifts, gains near
  // 1; attention has no biases. The norm's place and the activation do not change what is drawn.
  // Throws kUsage for a shape that does not fit.
  static Transformer random(const TransformerShape& shape, std::uint64_t seed, double gain = 1.0);
};

// The sites of an encoding as this shape needs them: rows as wide as the residual stream, maps and
// offsets as wide as a head.
Effects transformer_effects(const Encoding& encoding, const TransformerShape& shape,
                            Index positions);

// The residual stream after the last layer, [n, dim], for tokens x at positions 0..n-1; rows of
// the input table are added before the first layer. Throws kUsage where x does not fit.
Matrix forward(const Transformer& model, const Effects& effects, const Matrix& x);

// Weights of one head of one layer on normed input z, [n, n]: row s holds the weights of the keys.
// A row whose keys are all masked is zero.
Matrix attention_weights(const TransformerLayer& layer, const TransformerShape& shape,
                         const Effects& effects, const Matrix& z, Index head);

}  // namespace sextant
