// SPDX-License-Identifier: Apache-2.0
#include "training/class_task.h"

#include "base/check.h"
#include "training/class_baselines.h"

namespace sextant {

void ClassTask::check_length(Index length) const {
  require(length >= least_length(), info().name, "length must be at least {} but got {}",
          least_length(), length);
  require(length <= most_length(), info().name, "length must be at most {} but got {}",
          most_length(), length);
}

Batch ClassTask::sample(std::uint64_t seed, std::uint64_t number, Index sequences,
                        Index length) const {
  check_length(length);
  Batch batch{.sequences = sequences, .length = length};
  const auto rows = static_cast<std::size_t>(sequences);
  const auto width = static_cast<std::size_t>(length);
  const std::size_t targets = shape().readout == Readout::kEveryPosition ? width : 1;
  batch.tokens.assign(rows * width, 0);
  batch.classes.assign(rows * targets, kNoTarget);
  for (std::size_t i = 0; i < rows; ++i) {
    Draws draws(seed, number, static_cast<Index>(i));
    write(draws, std::span(batch.tokens).subspan(i * width, width),
          std::span(batch.classes).subspan(i * targets, targets));
  }
  return batch;
}

std::vector<Baseline> ClassTask::baselines(Index length) const {
  check_length(length);
  std::vector<Baseline> result = exact_baselines(length);
  const Guess chance = uniform_guess(shape().outputs);
  result.push_back({.name = "chance", .value = chance.loss});
  result.push_back({.name = "chance", .value = chance.accuracy, .of_accuracy = true});
  return result;
}

}  // namespace sextant
