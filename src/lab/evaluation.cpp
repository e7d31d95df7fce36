// SPDX-License-Identifier: Apache-2.0
#include "lab/evaluation.h"

#include <algorithm>

#include "training/trial_memory.h"

namespace sextant {
namespace {

TensorBatch sequences_of(const TensorBatch& batch, Index first, Index last) {
  return {.inputs = batch.inputs.slice(0, first, last),
          .present = batch.present.defined() ? batch.present.slice(0, first, last) : batch.present,
          .targets = batch.targets.slice(0, first, last)};
}

// Sums over the targets that count.
struct Sums {
  double loss = 0.0;
  Index right = 0, counted = 0;
  Vector loss_at, counted_at;  // by position

  void add(const TransformerModule::Measured& measured, const torch::Tensor& targets) {
    if (measured.counted == 0) return;
    loss += measured.loss.item<double>() * static_cast<double>(measured.counted);
    right += measured.right;
    counted += measured.counted;
    if (!measured.loss_by_position.defined()) return;
    const torch::Tensor counts =
        targets.is_floating_point() ? ~targets.isnan() : targets.ne(kNoTarget);
    const Vector means = to_vector(measured.loss_by_position), here = to_vector(counts.sum(0));
    loss_at.resize(means.size());
    counted_at.resize(means.size());
    for (std::size_t t = 0; t < means.size(); ++t) {
      if (here[t] > 0.0) loss_at[t] += means[t] * here[t];
      counted_at[t] += here[t];
    }
  }
};

}  // namespace

Batch test_batch(const Task& task, std::uint64_t seed, Index k, Index sequences, Index length) {
  return task.test_batch(seed, k, task.test_sequences(sequences), length);
}

std::optional<Evaluation> evaluate(TransformerModule& model, const Task& task, std::uint64_t seed,
                                   Index sequences, Index length,
                                   const torch::TensorOptions& options,
                                   const std::function<bool()>& goes_on) {
  const torch::NoGradGuard no_gradients;
  const Index at_once = tested_at_once(model.shape().heads, length);
  Sums sums;
  sequences = task.test_sequences(sequences);
  for (Index k = 0; k * kTestBatch < sequences; ++k) {
    const Batch batch = test_batch(task, seed, k, sequences, length);
    const TensorBatch whole = to_torch(batch, task.shape(), options);
    for (Index first = 0; first < batch.sequences; first += at_once) {
      if (!goes_on()) return std::nullopt;
      const TensorBatch part =
          sequences_of(whole, first, std::min(first + at_once, batch.sequences));
      sums.add(model.measure(part), part.targets);
    }
  }
  const auto counted = static_cast<double>(sums.counted);
  Evaluation result{.length = length, .loss = sums.loss / counted};
  if (task.shape().loss == Loss::kCrossEntropy)
    result.accuracy = static_cast<double>(sums.right) / counted;
  if (std::ranges::none_of(sums.counted_at, [](double count) { return count == 0.0; })) {
    result.loss_by_position = std::move(sums.loss_at);
    for (std::size_t t = 0; t < result.loss_by_position.size(); ++t)
      result.loss_by_position[t] /= sums.counted_at[t];
  }
  return result;
}

}  // namespace sextant
