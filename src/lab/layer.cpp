// SPDX-License-Identifier: Apache-2.0
#include "lab/layer.h"

namespace sextant {
namespace {

void set(torch::Tensor target, const Matrix& values) {
  target.copy_(to_torch(values, target.options()));
}
void set(torch::Tensor target, const Vector& values) {
  if (values.empty())
    target.zero_();
  else
    target.copy_(to_torch(values, target.options()));
}

Vector filled(Index size, double value) { return Vector(static_cast<std::size_t>(size), value); }

}  // namespace

torch::nn::LayerNorm layer_norm(const TransformerShape& shape) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({shape.dim}).eps(shape.norm_epsilon));
}

LayerModule::LayerModule(const TransformerShape& shape) : shape_(shape) {
  const Index d = shape.dim;
  query_ = register_module("query", torch::nn::Linear(d, d));
  key_ = register_module("key", torch::nn::Linear(d, d));
  value_ = register_module("value", torch::nn::Linear(d, d));
  output_ = register_module("output", torch::nn::Linear(d, d));
  const bool norms = shape.norm != NormPlace::kNone;
  if (norms) attention_norm_ = register_module("attention_norm", layer_norm(shape));
  if (shape.hidden == 0) return;
  up_ = register_module("up", torch::nn::Linear(d, shape.hidden));
  down_ = register_module("down", torch::nn::Linear(shape.hidden, d));
  if (norms) feed_forward_norm_ = register_module("feed_forward_norm", layer_norm(shape));
}

torch::Tensor LayerModule::heads(torch::nn::Linear& map, const torch::Tensor& z) {
  return map(z)
      .view({z.size(0), z.size(1), shape_.heads, shape_.dim / shape_.heads})
      .transpose(1, 2);
}

LayerModule::Output LayerModule::attend(const torch::Tensor& z, const SiteTensors& sites,
                                        const PairMask& mask) {
  const torch::Tensor weights =
      attention_weights(attention_logits(heads(query_, z), heads(key_, z), sites), mask);
  const torch::Tensor seen = torch::matmul(weights, heads(value_, z));
  return {.stream = output_(seen.transpose(1, 2).reshape(z.sizes())), .weights = weights};
}

torch::Tensor LayerModule::feed_forward(const torch::Tensor& z) {
  const torch::Tensor units = up_(z);
  return down_(shape_.activation == Activation::kRelu ? torch::relu(units) : torch::gelu(units));
}

LayerModule::Output LayerModule::forward(const torch::Tensor& x, const SiteTensors& sites,
                                         const PairMask& mask) {
  const bool before = shape_.norm == NormPlace::kBefore, after = shape_.norm == NormPlace::kAfter;
  Output result = attend(before ? attention_norm_(x) : x, sites, mask);
  torch::Tensor stream = x + result.stream;
  if (after) stream = attention_norm_(stream);
  if (shape_.hidden > 0) {
    stream = stream + feed_forward(before ? feed_forward_norm_(stream) : stream);
    if (after) stream = feed_forward_norm_(stream);
  }
  result.stream = stream;
  return result;
}

TransformerLayer LayerModule::plain() const {
  const Index d = shape_.dim;
  TransformerLayer layer{.query = to_matrix(query_->weight),
                         .key = to_matrix(key_->weight),
                         .value = to_matrix(value_->weight),
                         .output = to_matrix(output_->weight),
                         .query_bias = to_vector(query_->bias),
                         .key_bias = to_vector(key_->bias),
                         .value_bias = to_vector(value_->bias),
                         .output_bias = to_vector(output_->bias),
                         .up = up_ ? to_matrix(up_->weight) : Matrix(0, d),
                         .down = down_ ? to_matrix(down_->weight) : Matrix(d, 0),
                         .up_bias = up_ ? to_vector(up_->bias) : Vector(),
                         .down_bias = down_ ? to_vector(down_->bias) : filled(d, 0.0),
                         .attention_gain = filled(d, 1.0),
                         .attention_shift = filled(d, 0.0),
                         .feed_forward_gain = filled(d, 1.0),
                         .feed_forward_shift = filled(d, 0.0)};
  if (attention_norm_) {
    layer.attention_gain = to_vector(attention_norm_->weight);
    layer.attention_shift = to_vector(attention_norm_->bias);
  }
  if (feed_forward_norm_) {
    layer.feed_forward_gain = to_vector(feed_forward_norm_->weight);
    layer.feed_forward_shift = to_vector(feed_forward_norm_->bias);
  }
  return layer;
}

void LayerModule::load(const TransformerLayer& layer) {
  const torch::NoGradGuard no_gradients;
  const auto linear = [](torch::nn::Linear& map, const Matrix& weight, const Vector& bias) {
    if (!map) return;
    set(map->weight, weight);
    set(map->bias, bias);
  };
  const auto norm = [](torch::nn::LayerNorm& map, const Vector& gain, const Vector& shift) {
    if (!map) return;
    set(map->weight, gain);
    set(map->bias, shift);
  };
  linear(query_, layer.query, layer.query_bias);
  linear(key_, layer.key, layer.key_bias);
  linear(value_, layer.value, layer.value_bias);
  linear(output_, layer.output, layer.output_bias);
  linear(up_, layer.up, layer.up_bias);
  linear(down_, layer.down, layer.down_bias);
  norm(attention_norm_, layer.attention_gain, layer.attention_shift);
  norm(feed_forward_norm_, layer.feed_forward_gain, layer.feed_forward_shift);
}

}  // namespace sextant
