// SPDX-License-Identifier: Apache-2.0
// libtorch, and the way from our arrays to its tensors and back. The only place that names it.
#pragma once

#include <torch/nn/module.h>
#include <torch/torch.h>

#include "sextant/matrix.h"
#include "sextant/registry.h"
#include "sextant/trial.h"

namespace sextant {

torch::TensorOptions tensor_options(Precision precision, const std::string& device);

torch::Tensor to_torch(const Matrix& matrix, const torch::TensorOptions& options);  // [rows, cols]
torch::Tensor to_torch(const Vector& vector, const torch::TensorOptions& options);  // [size]
Matrix to_matrix(const torch::Tensor& tensor);                                      // of two axes
Vector to_vector(const torch::Tensor& tensor);                                      // of one axis

}  // namespace sextant
