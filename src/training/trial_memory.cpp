// SPDX-License-Identifier: Apache-2.0
// The factors were read off measured peaks of resident memory, above that of the smallest trial.
// Estimate over measure: 1.0 for weights with a checkpoint, 1.2 for tokens, 1.6 for logits of a
// step (1.0 with a bias and a mask, 0.5 with vectors for each lag), 1.6 for tests, 1.3 for maps.
#include "training/trial_memory.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/memory.h"

namespace sextant {
namespace {

constexpr double kProcess = 1e8;  // of a process of its own, libraries without their shared pages
constexpr double kShareOfMemory = 0.8;
constexpr Index kMostTestLogits = Index{1} << 24;  // of one tensor, [sequences, heads, n, n]

// Numbers of one tensor of a kind.
struct Sizes {
  double tokens = 0.0;   // sequences x n
  double logits = 0.0;   // of all heads of a layer
  double outputs = 0.0;  // of the way out
};

Sizes sizes_of(const Trial& trial, const TaskShape& task, Index sequences, Index length) {
  Sizes result;
  result.tokens = static_cast<double>(sequences) * static_cast<double>(length);
  result.logits =
      result.tokens * static_cast<double>(length) * static_cast<double>(trial.model.heads);
  result.outputs =
      static_cast<double>(task.outputs) *
      (task.readout == Readout::kEveryPosition ? result.tokens : static_cast<double>(sequences));
  return result;
}

double weight_count(const Trial& trial, const TaskShape& task) {
  const auto d = static_cast<double>(trial.model.dim), h = static_cast<double>(trial.model.hidden);
  const double layer = 4.0 * d * d + 2.0 * d * h + 9.0 * d + h;
  const double table = static_cast<double>(std::max<Index>(task.vocabulary, 2)) * d;
  const double head = trial.frame == Frame::kBert ? d * d : 0.0;
  return static_cast<double>(trial.model.layers) * layer + table + head +
         static_cast<double>(task.outputs) * (d + 1.0);
}

}  // namespace

Index tested_at_once(Index heads, Index length) {
  return std::clamp(kMostTestLogits / (heads * length * length), Index{1}, kTestBatch);
}

double TrialMemory::peak() const {
  return kProcess + weights + rows + std::max({checkpoint, training, test, attention});
}

std::string_view TrialMemory::option() const {
  const std::pair<double, std::string_view> parts[] = {{weights + checkpoint, "--dim"},
                                                       {training, "--train"},
                                                       {test, "--test"},
                                                       {attention, "--attention"},
                                                       {rows, "--keep-rows"}};
  return std::ranges::max_element(parts)->second;
}

TrialMemory trial_memory(const Trial& trial, const TaskShape& task) {
  const double bytes = trial.precision == Precision::kFloat ? 4.0 : 8.0;
  const auto layers = static_cast<double>(trial.model.layers);
  const auto d = static_cast<double>(trial.model.dim), h = static_cast<double>(trial.model.hidden);
  const double weights = bytes * weight_count(trial, task);
  TrialMemory result{.weights = 4.0 * weights, .checkpoint = 7.0 * weights};

  const Sizes step = sizes_of(trial, task, trial.schedule.batch, trial.train_length);
  result.training = bytes * (layers * (step.tokens * (16.0 * d + 3.0 * h) + 4.0 * step.logits) +
                             8.0 * step.logits + 4.0 * step.outputs);
  const auto forward = [&](Index sequences, Index length) {
    const Sizes size = sizes_of(trial, task, sequences, length);
    return bytes * (size.tokens * (10.0 * d + 2.0 * h) + 3.0 * size.logits + 3.0 * size.outputs);
  };
  for (const Index length : trial.test_lengths)
    result.test = std::max(result.test, forward(tested_at_once(trial.model.heads, length), length));
  if (trial.attention_length > 0) {
    const double maps = layers * sizes_of(trial, task, 1, trial.attention_length).logits;
    result.attention = forward(1, trial.attention_length) + 2.0 * bytes * maps;
  }
  if (trial.keep_rows > 0) {
    const Index kept = trial.schedule.steps / trial.keep_rows + 2;
    result.rows =
        3.0 * bytes * static_cast<double>(kept) * static_cast<double>(trial.train_length) * d;
  }
  return result;
}

void check_trial_memory(const Trial& trial, const TaskShape& task, Index at_once,
                        std::optional<std::uint64_t> limit) {
  if (trial.device != "cpu") return;
  const std::optional<std::uint64_t> available = available_memory();
  if (!limit && !available) return;
  const double most = limit ? static_cast<double>(*limit)
                            : kShareOfMemory * static_cast<double>(available.value_or(0));
  const TrialMemory memory = trial_memory(trial, task);
  const double one = memory.peak(), all = one * static_cast<double>(at_once);
  if (all <= most) return;
  const std::string_view option = one <= most ? "--jobs" : memory.option();
  fail(ErrorCode::kRefused, option,
       "{} at once need {:.2g} GB of memory, {:.2g} GB each, but {:.2g} GB may be used; lower {}{}",
       at_once == 1 ? std::string("1 trial") : fmt::format("{} trials", at_once), all / 1e9,
       one / 1e9, most / 1e9, option, option == "--train" ? " or --batch" : "");
}

}  // namespace sextant
