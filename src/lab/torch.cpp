// SPDX-License-Identifier: Apache-2.0
#include "lab/torch.h"

#include <algorithm>

namespace sextant {
namespace {

torch::Tensor in_double(const torch::Tensor& tensor) {
  return tensor.detach().to(torch::kCPU, torch::kDouble).contiguous();
}

}  // namespace

torch::TensorOptions tensor_options(Precision precision, const std::string& device) {
  return torch::TensorOptions()
      .dtype(precision == Precision::kFloat ? torch::kFloat : torch::kDouble)
      .device(device);
}

torch::Tensor to_torch(const Matrix& matrix, const torch::TensorOptions& options) {
  torch::Tensor result = torch::empty({matrix.rows(), matrix.cols()}, torch::kDouble);
  std::ranges::copy(matrix.values(), result.data_ptr<double>());
  return result.to(options);
}

torch::Tensor to_torch(const Vector& vector, const torch::TensorOptions& options) {
  torch::Tensor result = torch::empty({static_cast<Index>(vector.size())}, torch::kDouble);
  std::ranges::copy(vector, result.data_ptr<double>());
  return result.to(options);
}

Matrix to_matrix(const torch::Tensor& tensor) {
  const torch::Tensor values = in_double(tensor);
  Matrix result(values.size(0), values.size(1));
  std::copy_n(values.data_ptr<double>(), values.numel(), result.values().begin());
  return result;
}

Vector to_vector(const torch::Tensor& tensor) {
  const torch::Tensor values = in_double(tensor);
  return {values.data_ptr<double>(), values.data_ptr<double>() + values.numel()};
}

}  // namespace sextant
