// SPDX-License-Identifier: Apache-2.0
#include "lab/model.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/hash.h"
#include "base/rng.h"
#include "training/trial_seeds.h"

namespace sextant {
namespace {

constexpr std::uint64_t kWeights = 0x77656967687473;  // keeps streams of weights off those of data
constexpr double kBertDeviation = 0.02;  // of first weights; Devlin et al., arXiv:1810.04805

class WeightDraw {
 public:
  WeightDraw(std::uint64_t seed, const std::string& name) : rng_(seed, hash(name, kWeights)) {}

  void normal(torch::Tensor weights, double deviation) const {
    fill(std::move(weights), [&](std::uint64_t i) { return deviation * rng_.normal(i); });
  }
  void uniform(torch::Tensor weights, double bound) const {
    fill(std::move(weights),
         [&](std::uint64_t i) { return bound * (2.0 * rng_.uniform(i) - 1.0); });
  }

 private:
  template <typename At>
  void fill(torch::Tensor weights, const At& at) const {
    Vector values(static_cast<std::size_t>(weights.numel()));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = at(i);
    weights.copy_(to_torch(values, weights.options()).view(weights.sizes()));
  }

  Rng rng_;
};

// Cross-entropy or squared error of each target, and which targets count.
struct Losses {
  torch::Tensor each, counts;
};

Losses losses(const torch::Tensor& outputs, const torch::Tensor& targets, Loss loss) {
  if (loss == Loss::kCrossEntropy) {
    const torch::Tensor counts = targets != kNoTarget;
    const torch::Tensor target = targets.masked_fill(~counts, 0).unsqueeze(-1);
    const torch::Tensor each = -torch::log_softmax(outputs, -1).gather(-1, target).squeeze(-1);
    return {.each = each.masked_fill(~counts, 0.0), .counts = counts};
  }
  const torch::Tensor counts = ~torch::isnan(targets);
  const torch::Tensor each = (outputs.squeeze(-1) - targets.masked_fill(~counts, 0.0)).square();
  return {.each = each.masked_fill(~counts, 0.0), .counts = counts};
}

}  // namespace

TransformerModule::TransformerModule(const Trial& trial, const TaskShape& task)
    : torch::nn::Module("transformer"),
      shape_(trial.model),
      task_(task),
      frame_(trial.frame),
      options_(tensor_options(trial.precision, trial.device)) {
  require(shape_.layers >= 0 && shape_.hidden >= 0, "model",
          "layers and hidden must not be negative but got {} and {}", shape_.layers, shape_.hidden);
  require(shape_.heads >= 1 && shape_.dim >= 1 && shape_.dim % shape_.heads == 0, "model",
          "dim must be a positive multiple of heads but got {} and {}", shape_.dim, shape_.heads);
  if (task.vocabulary > 0)
    embedding_ = register_module("embedding", torch::nn::Embedding(task.vocabulary, shape_.dim));
  else
    number_ = register_module("number", torch::nn::Linear(1, shape_.dim));
  if (frame_ == Frame::kBert) {
    token_type_ = register_module("token_type", torch::nn::Embedding(1, shape_.dim));
    embedding_norm_ = register_module("embedding_norm", layer_norm(shape_));
  }
  torch::nn::ModuleList layers = register_module("layers", torch::nn::ModuleList());
  for (Index i = 0; i < shape_.layers; ++i) {
    layers_.push_back(std::make_shared<LayerModule>(shape_));
    layers->push_back(layers_.back());
  }
  add_head();
  to(options_.device(), options_.dtype().toScalarType());
  draw_weights(trial.seed);
  encoding_ = register_module(
      "encoding", std::make_shared<EncodingModule>(trial.encoding, shape_, trial.train_length,
                                                   trial.learn, encoding_seed(trial), options_));
}

void TransformerModule::add_head() {
  const Index d = shape_.dim;
  const bool bert = frame_ == Frame::kBert;
  if (bert && task_.readout == Readout::kFirst)
    pooler_ = register_module("pooler", torch::nn::Linear(d, d));
  const bool tells_tokens = task_.readout == Readout::kEveryPosition && task_.vocabulary > 0 &&
                            task_.outputs == task_.vocabulary;
  if (!bert || !tells_tokens) {
    readout_ = register_module("readout", torch::nn::Linear(d, task_.outputs));
    return;
  }
  transform_ = register_module("transform", torch::nn::Linear(d, d));
  transform_norm_ = register_module("transform_norm", layer_norm(shape_));
  decoder_bias_ = register_parameter("decoder_bias", torch::zeros({task_.outputs}));
}

void TransformerModule::draw_weights(std::uint64_t seed) {
  const torch::NoGradGuard no_gradients;
  const bool bert = frame_ == Frame::kBert;
  for (const auto& item : named_modules("", /*include_self=*/false)) {
    const std::string& name = item.key();
    if (auto* linear = item.value()->as<torch::nn::Linear>(); linear != nullptr && bert) {
      WeightDraw(seed, name + ".weight").normal(linear->weight, kBertDeviation);
      linear->bias.zero_();
    } else if (linear != nullptr) {
      const double bound = 1.0 / std::sqrt(static_cast<double>(linear->weight.size(1)));
      WeightDraw(seed, name + ".weight").uniform(linear->weight, bound);
      WeightDraw(seed, name + ".bias").uniform(linear->bias, bound);
    } else if (auto* embedding = item.value()->as<torch::nn::Embedding>()) {
      WeightDraw(seed, name + ".weight").normal(embedding->weight, bert ? kBertDeviation : 1.0);
    }
  }
}

torch::Tensor TransformerModule::tokens(const torch::Tensor& inputs) {
  const torch::Tensor x = embedding_ ? embedding_(inputs) : number_(inputs.unsqueeze(-1));
  return token_type_ ? x + token_type_->weight : x;
}

// The stream before the first layer.
torch::Tensor TransformerModule::placed(const torch::Tensor& x, const SiteTensors& sites) {
  const torch::Tensor sum = sites.rows.defined() ? x + sites.rows : x;
  return embedding_norm_ ? embedding_norm_(sum) : sum;
}

PairMask TransformerModule::mask(Index n, const torch::Tensor& present,
                                 const SiteTensors& sites) const {
  torch::Tensor hidden;
  if (present.defined()) hidden = ~present.unsqueeze(1).unsqueeze(1);
  if (shape_.causal) {
    const torch::Tensor ahead =
        torch::ones({n, n}, torch::TensorOptions(torch::kBool).device(options_.device())).triu(1);
    hidden = hidden.defined() ? hidden | ahead : ahead;
  }
  return pair_mask(hidden, sites.bias);
}

torch::Tensor TransformerModule::stream(torch::Tensor x, const torch::Tensor& present) {
  const Index n = x.size(1);
  const SiteTensors sites = encoding_->sites(n);
  const PairMask pairs = mask(n, present, sites);
  x = placed(x, sites);
  for (const auto& layer : layers_) x = layer->forward(x, sites, pairs).stream;
  return x;
}

torch::Tensor TransformerModule::attention(const TensorBatch& batch) {
  const torch::NoGradGuard no_gradients;
  const Index n = batch.inputs.size(1);
  const SiteTensors sites = encoding_->sites(n);
  const torch::Tensor present =
      batch.present.defined() ? batch.present.slice(0, 0, 1) : torch::Tensor();
  const PairMask pairs = mask(n, present, sites);
  torch::Tensor x = placed(tokens(batch.inputs.slice(0, 0, 1)), sites);
  std::vector<torch::Tensor> maps = {torch::empty({0, shape_.heads, n, n}, options_)};
  for (const auto& layer : layers_) {
    const LayerModule::Output output = layer->forward(x, sites, pairs);
    maps.push_back(output.weights);
    x = output.stream;
  }
  return torch::cat(maps);
}

torch::Tensor TransformerModule::pooled(const torch::Tensor& stream) {
  const torch::Tensor first = stream.select(1, 0);
  return pooler_ ? torch::tanh(pooler_(first)) : first;
}

torch::Tensor TransformerModule::outputs(const torch::Tensor& x) {
  if (readout_) return readout_(x);
  return torch::linear(transform_norm_(torch::gelu(transform_(x))), embedding_->weight,
                       decoder_bias_);
}

torch::Tensor TransformerModule::read_out(const torch::Tensor& stream,
                                          const torch::Tensor& present) {
  switch (task_.readout) {
    case Readout::kEveryPosition:
      return outputs(stream);
    case Readout::kFirst:
      return outputs(pooled(stream));
    case Readout::kLast: {
      if (!present.defined()) return outputs(stream.select(1, stream.size(1) - 1));
      const torch::Tensor t = torch::arange(stream.size(1), present.device());
      const torch::Tensor last = (present * t).argmax(1);
      return outputs(stream.index({torch::arange(stream.size(0), present.device()), last}));
    }
    case Readout::kMean: {
      if (!present.defined()) return outputs(stream.mean(1));
      const torch::Tensor weights = present.to(stream.dtype()).unsqueeze(-1);
      return outputs((stream * weights).sum(1) / weights.sum(1).clamp_min(1.0));
    }
  }
  return {};
}

torch::Tensor TransformerModule::forward(const TensorBatch& batch) {
  return read_out(stream(tokens(batch.inputs), batch.present), batch.present);
}

TransformerModule::Measured TransformerModule::measure(const TensorBatch& batch) {
  const torch::Tensor answers = forward(batch);
  const auto [each, counts] = losses(answers, batch.targets, task_.loss);
  Measured result;
  result.counted = counts.sum().item<Index>();
  result.loss = each.sum() / std::max<Index>(result.counted, 1);
  if (task_.loss == Loss::kCrossEntropy)
    result.right = ((answers.detach().argmax(-1) == batch.targets) & counts).sum().item<Index>();
  if (task_.readout == Readout::kEveryPosition)
    result.loss_by_position = each.detach().sum(0) / counts.sum(0);
  return result;
}

Transformer TransformerModule::plain() const {
  Transformer result{.shape = shape_, .layers = {}};
  result.layers.reserve(layers_.size());
  for (const auto& layer : layers_) result.layers.push_back(layer->plain());
  return result;
}

void TransformerModule::load(const Transformer& weights) {
  require(weights.layers.size() == layers_.size() && weights.shape.dim == shape_.dim &&
              weights.shape.hidden == shape_.hidden,
          "weights", "must be of {} layers of width {} and {} hidden units", layers_.size(),
          shape_.dim, shape_.hidden);
  for (std::size_t i = 0; i < layers_.size(); ++i) layers_[i]->load(weights.layers[i]);
}

}  // namespace sextant
