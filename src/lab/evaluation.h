// SPDX-License-Identifier: Apache-2.0
// What a model does on test data.
#pragma once

#include "lab/model.h"
#include "sextant/task.h"

namespace sextant {

// The k-th batch, of kTestBatch at most, of a test of at most `sequences`.
Batch test_batch(const Task& task, std::uint64_t seed, Index k, Index sequences, Index length);

// On at most `sequences`. In the precision of `options`, without gradients. Few sequences are in
// memory at a time. The loss is a mean over all targets that count. Nothing where goes_on(), asked
// between batches, says no.
std::optional<Evaluation> evaluate(
    TransformerModule& model, const Task& task, std::uint64_t seed, Index sequences, Index length,
    const torch::TensorOptions& options,
    const std::function<bool()>& goes_on = [] { return true; });

}  // namespace sextant
