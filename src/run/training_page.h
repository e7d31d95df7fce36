// SPDX-License-Identifier: Apache-2.0
// The key `training` of the page: a comparison by training as pictures need it (docs/lab.md).
#pragma once

#include <filesystem>

#include "io/json.h"
#include "run/trial_document.h"

namespace sextant {

// `document` is what add_training() made of `run`; the folders of the trials are in `folder`. Keeps
// task, options, baselines, summary, comparisons and provenance, and adds
//   trials[]: encoding, seed, end, fault, parameters;
//   curves[], positions[]: training loss by step and test loss by position, at most 200 points
//   each;
//   attention: length, starts[], maps[] of at most 64 x 64 means, 64 maps at most, and why an
//   encoding has none; null where no maps were asked for.
// A file of attention that cannot be read is a reason, not an error.
Json training_page(const TrainingRun& run, const Json& document,
                   const std::filesystem::path& folder);

}  // namespace sextant
