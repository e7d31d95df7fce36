// SPDX-License-Identifier: Apache-2.0
#include "lab/ntk.h"

#include <algorithm>

#include "base/check.h"
#include "lab/bert_weights.h"
#include "training/trial_seeds.h"

namespace sextant {
namespace {

constexpr Index kKernelSequences = 16;

Index sequences_of(const Trial& trial) { return std::min(trial.test_sequences, kKernelSequences); }

void check_size(Index outputs, const std::vector<torch::Tensor>& parameters) {
  require(outputs <= kMostTangentOutputs, "ntk",
          "{} outputs are more than {}; take a task with fewer classes or one answer a sequence",
          outputs, kMostTangentOutputs);
  double numbers = 0.0;
  for (const torch::Tensor& parameter : parameters)
    numbers += static_cast<double>(parameter.numel());
  const double bytes = 8.0 * numbers * static_cast<double>(outputs);
  if (bytes > kMostTangentBytes)
    fail(ErrorCode::kRefused, "ntk",
         "{} gradients of {:.0f} numbers would take {:.1f} GB but may take {:.1f}; take a smaller "
         "model",
         outputs, numbers, bytes / 1e9, kMostTangentBytes / 1e9);
}

}  // namespace

torch::Tensor tangent_kernel(const torch::Tensor& outputs,
                             const std::vector<torch::Tensor>& parameters) {
  const torch::Tensor flat = outputs.reshape({-1});
  const Index count = flat.numel();
  check_size(count, parameters);
  std::vector<std::vector<torch::Tensor>> rows(parameters.size());  // by parameter, then output
  for (Index i = 0; i < count; ++i) {
    const std::vector<torch::Tensor> gradients =
        torch::autograd::grad({flat[i]}, parameters, /*grad_outputs=*/{}, /*retain_graph=*/true,
                              /*create_graph=*/false, /*allow_unused=*/true);
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      const torch::Tensor& gradient =
          gradients[p].defined() ? gradients[p] : torch::zeros_like(parameters[p]);
      rows[p].push_back(gradient.detach().reshape({-1}).to(torch::kCPU, torch::kDouble));
    }
  }
  torch::Tensor kernel = torch::zeros({count, count}, torch::kDouble);
  for (const std::vector<torch::Tensor>& of_parameter : rows) {
    const torch::Tensor jacobian = torch::stack(of_parameter);
    kernel += torch::mm(jacobian, jacobian.t());
  }
  return kernel;
}

torch::Tensor tangent_kernel(TransformerModule& model, const TensorBatch& batch) {
  return tangent_kernel(model.forward(batch), model.parameters());
}

void check_tangent_drift(const Trial& trial, const TaskShape& task,
                         const TransformerModule& model) {
  const Index answers = task.readout == Readout::kEveryPosition ? trial.train_length : 1;
  check_size(sequences_of(trial) * answers * task.outputs, model.parameters());
}

TangentResult tangent_drift(const Trial& trial, const Task& test_task, TransformerModule& trained) {
  const TensorBatch batch =
      to_torch(test_task.sample(test_seed(trial), 0, sequences_of(trial), trial.train_length),
               test_task.shape(), tensor_options(trial.precision, trial.device));
  // First weights depend on the trial alone: the model of before is made again.
  TransformerModule first(trial, test_task.shape());
  if (!trial.weights.empty()) load_bert(first, trial);
  return tangent_result(to_matrix(tangent_kernel(first, batch)),
                        to_matrix(tangent_kernel(trained, batch)));
}

}  // namespace sextant
