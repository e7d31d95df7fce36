// SPDX-License-Identifier: Apache-2.0
// Batches of tasks as tensors.
#include <algorithm>

#include "base/check.h"
#include "lab/model.h"

namespace sextant {
namespace {

using Sizes = std::vector<std::int64_t>;

// Values of a batch as a tensor of type `To`, on the CPU.
template <typename To, typename From>
torch::Tensor tensor(const std::vector<From>& values, const Sizes& sizes, std::string_view what) {
  torch::Tensor result = torch::empty(sizes, torch::CppTypeToScalarType<To>::value);
  require(static_cast<Index>(values.size()) == result.numel(), "batch",
          "{} must be {} values but are {}", what, result.numel(), values.size());
  std::ranges::transform(values, result.template data_ptr<To>(),
                         [](From value) { return static_cast<To>(value); });
  return result;
}

}  // namespace

TensorBatch to_torch(const Batch& batch, const TaskShape& task,
                     const torch::TensorOptions& options) {
  const Sizes all = {batch.sequences, batch.length};
  const Sizes read = task.readout == Readout::kEveryPosition ? all : Sizes{batch.sequences};
  const torch::Device device = options.device();
  TensorBatch result;
  if (task.vocabulary > 0) {
    require(std::ranges::all_of(batch.tokens,
                                [&](std::int32_t id) { return id >= 0 && id < task.vocabulary; }),
            "batch", "tokens must be 0 to {}", task.vocabulary - 1);
    result.inputs = tensor<std::int64_t>(batch.tokens, all, "tokens").to(device);
  } else {
    result.inputs = tensor<double>(batch.values, all, "values").to(options);
  }
  if (!batch.present.empty())
    result.present = tensor<bool>(batch.present, all, "present").to(device);
  result.targets = task.loss == Loss::kCrossEntropy
                       ? tensor<std::int64_t>(batch.classes, read, "classes").to(device)
                       : tensor<double>(batch.numbers, read, "numbers").to(options);
  return result;
}

}  // namespace sextant
