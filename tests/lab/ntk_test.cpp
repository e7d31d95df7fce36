// SPDX-License-Identifier: Apache-2.0
#include "lab/ntk.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"

namespace sextant {
namespace {

constexpr double kRounding = 1e-12;

torch::Tensor drawn(Index rows, Index cols, std::uint64_t seed) {
  auto generator = at::detail::createCPUGenerator(seed);
  return torch::randn({rows, cols}, generator, torch::kDouble);
}

Trial tangent_trial() {
  Trial trial;
  trial.task = "order";
  trial.encoding = "sinusoidal";
  trial.model.dim = 8;
  trial.model.hidden = 16;
  trial.precision = Precision::kDouble;
  trial.train_length = 4;
  trial.test_lengths = {4};
  return trial;
}

// Of a symmetric matrix.
double least_eigenvalue(const torch::Tensor& kernel) {
  return torch::linalg_eigvalsh(kernel, "L").min().item<double>();
}

TEST(TangentKernel, OfALinearModelIsTheGramMatrixOfItsInputs) {
  const torch::Tensor x = drawn(6, 4, 1);
  torch::Tensor w = drawn(4, 1, 2).requires_grad_();
  const torch::Tensor kernel = tangent_kernel(torch::mm(x, w), {w});
  EXPECT_LT((kernel - torch::mm(x, x.t())).abs().max().item<double>(), kRounding);
}

TEST(TangentKernel, OfALinearModelDoesNotDrift) {
  const torch::Tensor x = drawn(5, 3, 3);
  torch::Tensor first = drawn(3, 1, 4).requires_grad_(), last = drawn(3, 1, 5).requires_grad_();
  const TangentResult result =
      tangent_result(to_matrix(tangent_kernel(torch::mm(x, first), {first})),
                     to_matrix(tangent_kernel(torch::mm(x, last), {last})));
  EXPECT_LT(result.drift, kRounding);
  EXPECT_NEAR(result.alignment, 1.0, kRounding);
  EXPECT_EQ(result.outputs, 5);
}

TEST(TangentKernel, OfASquareIsFourTimesInputsAndOutputs) {
  // f_i = (x_i w)^2: gradient 2 x_i^2 w, kernel 4 x_i^2 x_j^2 w^2.
  const torch::Tensor x = torch::tensor({1.0, 2.0}, torch::kDouble);
  torch::Tensor w = torch::tensor(3.0, torch::kDouble).requires_grad_();
  const Matrix kernel = to_matrix(tangent_kernel((x * w).square(), {w}));
  EXPECT_NEAR(kernel(0, 0), 36.0, kRounding);
  EXPECT_NEAR(kernel(0, 1), 144.0, kRounding);
  EXPECT_NEAR(kernel(1, 1), 576.0, 1e-11);
}

TEST(TangentKernel, TakesAParameterThatNothingDependsOnAsZero) {
  torch::Tensor w = drawn(2, 1, 6).requires_grad_(), unused = drawn(2, 2, 7).requires_grad_();
  const torch::Tensor x = drawn(3, 2, 8);
  EXPECT_TRUE(torch::equal(tangent_kernel(torch::mm(x, w), {w, unused}),
                           tangent_kernel(torch::mm(x, w), {w})));
}

TEST(TangentKernel, RefusesMoreOutputsThanItCanPassBackwards) {
  torch::Tensor w = torch::zeros({kMostTangentOutputs + 1}, torch::kDouble).requires_grad_();
  expect_error(ErrorCode::kUsage, "more than", [&] { tangent_kernel(w * 2.0, {w}); });
}

TEST(TangentKernel, RefusesGradientsBeyondFourGigabytes) {
  // 1024 gradients of 2^20 numbers are 8 GiB; the parameter itself is one number, repeated.
  torch::Tensor w = torch::zeros({1}, torch::kDouble).expand({1 << 20}).requires_grad_();
  expect_error(ErrorCode::kRefused, "8.6 GB",
               [&] { tangent_kernel(w.slice(0, 0, kMostTangentOutputs), {w}); });
}

TEST(TangentDrift, RefusesItsSizeBeforeTraining) {
  Trial trial = tangent_trial();
  const TransformerModule model(trial, {.vocabulary = 2, .outputs = 2});
  trial.test_sequences = 16;
  trial.train_length = 33;  // 16 x 33 x 2 outputs
  expect_error(ErrorCode::kUsage, "1056 outputs",
               [&] { check_tangent_drift(trial, {.vocabulary = 2, .outputs = 2}, model); });
  EXPECT_NO_THROW(check_tangent_drift(
      trial, {.vocabulary = 2, .outputs = 2, .readout = Readout::kLast}, model));
}

TEST(TangentKernel, OfATransformerIsSymmetricAndPositiveSemidefinite) {
  const Trial trial = tangent_trial();
  const auto task = tasks().make(trial.task);
  TransformerModule model(trial, task->shape());
  const TensorBatch batch = to_torch(task->sample(1, 0, 6, 4), task->shape(),
                                     tensor_options(trial.precision, trial.device));
  const torch::Tensor kernel = tangent_kernel(model, batch);
  ASSERT_EQ(kernel.size(0), 12);
  const double size = kernel.norm().item<double>();
  EXPECT_LT((kernel - kernel.t()).abs().max().item<double>(), kRounding * size);
  EXPECT_GT(least_eigenvalue(kernel), -kRounding * size);
  EXPECT_GT(size, 0.0);
}

TEST(TangentDrift, IsZeroOfAModelThatWasNotTrained) {
  const Trial trial = tangent_trial();
  const auto task = tasks().make(trial.task);
  TransformerModule model(trial, task->shape());
  EXPECT_EQ(tangent_drift(trial, *task, model).drift, 0.0);
}

TEST(TangentDrift, IsNotZeroOfOtherWeights) {
  const Trial trial = tangent_trial();
  Trial other = trial;
  other.seed = 2;
  const auto task = tasks().make(trial.task);
  TransformerModule model(other, task->shape());
  EXPECT_GT(tangent_drift(trial, *task, model).drift, 0.01);
}

}  // namespace
}  // namespace sextant
