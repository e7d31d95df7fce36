// SPDX-License-Identifier: Apache-2.0
// How much memory a trial takes, before it takes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sextant/task.h"
#include "sextant/trial.h"

namespace sextant {

// Test sequences that are computed together: all of a batch, unless their logits are too many.
Index tested_at_once(Index heads, Index length);

// Bytes of the parts, rough but not too low for encodings without large sites of their own. They
// are not there at the same time: weights stay, the others come one after the other.
struct TrialMemory {
  double weights = 0.0;  // with gradients and the two moments of Adam
  double checkpoint = 0.0;
  double training = 0.0;   // of a step: what the way back needs
  double test = 0.0;       // of the longest
  double attention = 0.0;  // of the maps
  double rows = 0.0;       // kept ones stay too

  double peak() const;
  std::string_view option() const;  // that has the largest part of it
};
TrialMemory trial_memory(const Trial& trial, const TaskShape& task);

// Throws kRefused, naming what to lower, where `at_once` such trials need more than `limit` bytes;
// nothing: 80 % of what is available. On another device than the CPU only its own program knows.
void check_trial_memory(const Trial& trial, const TaskShape& task, Index at_once,
                        std::optional<std::uint64_t> limit = {});

}  // namespace sextant
