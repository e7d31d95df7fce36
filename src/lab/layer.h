// SPDX-License-Identifier: Apache-2.0
// One layer of the transformer that the lab trains: LayerPass of theory/layer.h with gradients.
#pragma once

#include "lab/sites.h"

namespace sextant {

// Of a row of the stream.
torch::nn::LayerNorm layer_norm(const TransformerShape& shape);

class LayerModule : public torch::nn::Module {
 public:
  explicit LayerModule(const TransformerShape& shape);

  struct Output {
    torch::Tensor stream;   // [batch, n, dim]
    torch::Tensor weights;  // of attention, [batch, heads, n, n]
  };
  Output forward(const torch::Tensor& x, const SiteTensors& sites, const PairMask& mask);

  // Numbers that the shape does without are those of no effect.
  TransformerLayer plain() const;
  void load(const TransformerLayer& layer);

 private:
  torch::Tensor heads(torch::nn::Linear& map, const torch::Tensor& z);
  Output attend(const torch::Tensor& z, const SiteTensors& sites, const PairMask& mask);
  torch::Tensor feed_forward(const torch::Tensor& z);

  TransformerShape shape_;
  torch::nn::Linear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr};
  torch::nn::Linear up_{nullptr}, down_{nullptr};                              // with hidden units
  torch::nn::LayerNorm attention_norm_{nullptr}, feed_forward_norm_{nullptr};  // with norms
};

}  // namespace sextant
