// SPDX-License-Identifier: Apache-2.0
// What tasks from tokens to classes have in common: a batch is written one sequence after the
// other, and lengths are checked in one place.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sextant/task.h"
#include "training/draws.h"

namespace sextant {

class ClassTask : public Task {
 public:
  Batch sample(std::uint64_t seed, std::uint64_t number, Index sequences, Index length) const final;
  std::vector<Baseline> baselines(Index length) const final;

 protected:
  virtual Index least_length() const { return 1; }
  virtual Index most_length() const { return std::numeric_limits<std::int32_t>::max(); }

  // Gets the tokens of one sequence, which are 0, and its targets, which are kNoTarget: one a
  // position or one in all, as the read-out says.
  virtual void write(Draws& draws, std::span<std::int32_t> tokens,
                     std::span<std::int32_t> classes) const = 0;

  // All but chance, of a length that the task has.
  virtual std::vector<Baseline> exact_baselines(Index length) const = 0;

 private:
  void check_length(Index length) const;
};

// A shape with cross-entropy, as all of these have it.
constexpr TaskShape class_shape(Index vocabulary, Index outputs, Readout readout) {
  return {.vocabulary = vocabulary,
          .outputs = outputs,
          .loss = Loss::kCrossEntropy,
          .readout = readout};
}

}  // namespace sextant
