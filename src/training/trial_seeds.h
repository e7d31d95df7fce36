// SPDX-License-Identifier: Apache-2.0
// The streams of random numbers of a trial, all from its one seed: weights take the seed itself
// (lab/model.h), training data, test data and drawn encodings those below. None depends on model or
// encoding, so that trials of one seed are paired: they see the same data in the same order.
#pragma once

#include "base/hash.h"
#include "sextant/trial.h"

namespace sextant {

// Task::sample(training_seed(trial), i, ...) is the batch of step i, counted from 0.
inline std::uint64_t training_seed(const Trial& trial) { return mixed(trial.seed, 1); }

// Task::test_batch(test_seed(trial), k, ...) is the k-th batch of test sequences at each length.
inline std::uint64_t test_seed(const Trial& trial) { return mixed(trial.seed, 2); }

// The parameter `seed` of encodings whose first numbers are drawn, where a spec does not set it:
// 49 bits, which every such parameter takes.
inline std::uint64_t encoding_seed(const Trial& trial) { return mixed(trial.seed, 3) >> 15; }

}  // namespace sextant
