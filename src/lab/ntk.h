// SPDX-License-Identifier: Apache-2.0
// The empirical neural tangent kernel: the Gram matrix of parameter gradients.
#pragma once

#include "lab/model.h"
#include "training/tangent_result.h"

namespace sextant {

// Each output costs a backward pass.
inline constexpr Index kMostTangentOutputs = 1024;
// All gradients are held at once.
inline constexpr double kMostTangentBytes = 4294967296.0;

// <d f_i / d theta, d f_j / d theta> over all parameters, [outputs, outputs], in double: symmetric
// and positive semidefinite up to the precision of the gradients. `outputs` are differentiable
// functions of `parameters`, of any shape; one that does not depend on a parameter has gradient 0
// there. Throws kUsage beyond kMostTangentOutputs, kRefused beyond kMostTangentBytes, before any is
// computed.
torch::Tensor tangent_kernel(const torch::Tensor& outputs,
                             const std::vector<torch::Tensor>& parameters);

// Of a model's outputs on a batch.
torch::Tensor tangent_kernel(TransformerModule& model, const TensorBatch& batch);

// Throws as tangent_drift() of this trial would for its size, without a pass.
void check_tangent_drift(const Trial& trial, const TaskShape& task, const TransformerModule& model);

// The kernel on the first test sequences of a trial, before the first step and of `trained`.
TangentResult tangent_drift(const Trial& trial, const Task& test_task, TransformerModule& trained);

}  // namespace sextant
