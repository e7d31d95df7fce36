// SPDX-License-Identifier: Apache-2.0
// The transformer that the lab trains: the plain forward pass of sextant/transformer.h with a way
// in and a way out, as a module with gradients. It takes the sites of an encoding and nothing else.
#pragma once

#include "lab/layer.h"
#include "lab/learned.h"
#include "lab/torch.h"
#include "sextant/task.h"
#include "sextant/transformer.h"

namespace sextant {

// A batch as tensors. `targets` are [batch, n] or [batch], of classes or of numbers.
struct TensorBatch {
  torch::Tensor inputs = {};   // [batch, n]: token ids or numbers
  torch::Tensor present = {};  // [batch, n] of bool; not defined: all are
  torch::Tensor targets = {};
};
// Throws kUsage for a batch whose arrays do not have the sizes that its task's shape asks for.
TensorBatch to_torch(const Batch& batch, const TaskShape& task,
                     const torch::TensorOptions& options);

class TransformerModule : public torch::nn::Module {
 public:
  // Weights by `seed` and their own name alone, through our own generator: the same on every
  // machine and release, and the same whatever the encoding trains. Linear maps and their biases
  // are uniform in +-1/sqrt(fan in), embeddings normal; of Frame::kBert maps and embeddings are
  // normal with deviation .02 and biases 0. Norms start as the identity. Throws kUsage for a shape
  // that does not fit, and as EncodingModule does.
  TransformerModule(const Trial& trial, const TaskShape& task);

  // Outputs as the task reads them, [batch, n, outputs] or [batch, outputs]. The mean and the last
  // position are those of what is present.
  torch::Tensor forward(const TensorBatch& batch);

  // What a token is before its position is known, [batch, n, dim].
  torch::Tensor tokens(const torch::Tensor& inputs);

  // The residual stream after the last layer, [batch, n, dim], of tokens x; rows are added here.
  torch::Tensor stream(torch::Tensor x, const torch::Tensor& present = {});

  // What a read-out of the first position reads, [batch, dim].
  torch::Tensor pooled(const torch::Tensor& stream);

  // Attention weights, [layers, heads, n, n], of the first sequence of a batch.
  torch::Tensor attention(const TensorBatch& batch);

  // Mean loss over the targets that count, 0 where none does; the number of right classes and of
  // counted targets.
  struct Measured {
    torch::Tensor loss;
    Index right = 0, counted = 0;
    // [n], of a read-out at every position, NaN where none counts; else not defined.
    torch::Tensor loss_by_position;
  };
  Measured measure(const TensorBatch& batch);

  EncodingModule& encoding() { return *encoding_; }
  const TransformerShape& shape() const { return shape_; }

  // The weights of the layers, in double. load(plain()) changes nothing.
  Transformer plain() const;
  void load(const Transformer& weights);

 private:
  void add_head();
  void draw_weights(std::uint64_t seed);
  torch::Tensor placed(const torch::Tensor& x, const SiteTensors& sites);
  PairMask mask(Index n, const torch::Tensor& present, const SiteTensors& sites) const;
  torch::Tensor outputs(const torch::Tensor& x);
  torch::Tensor read_out(const torch::Tensor& stream, const torch::Tensor& present);

  TransformerShape shape_;
  TaskShape task_;
  Frame frame_;
  torch::TensorOptions options_;
  torch::nn::Embedding embedding_{nullptr};   // of tokens
  torch::nn::Linear number_{nullptr};         // of numbers
  torch::nn::Embedding token_type_{nullptr};  // of BERT, whose texts have one type here
  torch::nn::LayerNorm embedding_norm_{nullptr};
  std::shared_ptr<EncodingModule> encoding_;
  std::vector<std::shared_ptr<LayerModule>> layers_;
  torch::nn::Linear readout_{nullptr};
  torch::nn::Linear pooler_{nullptr};  // of BERT's first position
  // BERT tells tokens by these and by the embedding; there is no readout_ then.
  torch::nn::Linear transform_{nullptr};
  torch::nn::LayerNorm transform_norm_{nullptr};
  torch::Tensor decoder_bias_;
};

}  // namespace sextant
