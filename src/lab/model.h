// SPDX-License-Identifier: Apache-2.0
// The transformer that the lab trains: the plain forward pass of sextant/transformer.h with a way
// in and a way out, as a module with gradients. It takes the sites of an encoding and nothing else.
#pragma once

#include "lab/learned.h"
#include "lab/torch.h"
#include "sextant/task.h"
#include "sextant/transformer.h"

namespace sextant {

// A batch as tensors. `targets` are [batch, n] or [batch], of classes or of numbers.
struct TensorBatch {
  torch::Tensor inputs;   // [batch, n]: token ids or numbers
  torch::Tensor present;  // [batch, n] of bool; not defined: all are
  torch::Tensor targets;
};
TensorBatch to_torch(const Batch& batch, const TaskShape& task,
                     const torch::TensorOptions& options);

class TransformerModule : public torch::nn::Module {
 public:
  // Weights by `seed` alone, through our own generator: the same on every machine and release.
  // Linear maps and their biases are uniform in +-1/sqrt(fan in), embeddings normal, norms start as
  // the identity.
  TransformerModule(const Trial& trial, const TaskShape& task);

  // Outputs as the task reads them, [batch, n, outputs] or [batch, outputs].
  torch::Tensor forward(const TensorBatch& batch);

  // The residual stream after the last layer, [batch, n, dim], of tokens x; rows are added here.
  torch::Tensor stream(torch::Tensor x, const torch::Tensor& present = {});

  // Attention weights, [layers, heads, n, n], of the first sequence of a batch.
  torch::Tensor attention(const TensorBatch& batch);

  // Mean loss over the targets that count; the number of right classes and of counted targets.
  struct Measured {
    torch::Tensor loss;
    Index right = 0, counted = 0;
    torch::Tensor loss_by_position;  // [n], of a read-out at every position; else not defined
  };
  Measured measure(const TensorBatch& batch);

  EncodingModule& encoding() { return *encoding_; }
  const TransformerShape& shape() const { return shape_; }

  // The weights of the layers, in double. load(plain()) changes nothing.
  Transformer plain() const;
  void load(const Transformer& weights);

 private:
  TransformerShape shape_;
  TaskShape task_;
  std::shared_ptr<EncodingModule> encoding_;
};

}  // namespace sextant
