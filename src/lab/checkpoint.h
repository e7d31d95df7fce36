// SPDX-License-Identifier: Apache-2.0
// Where a stopped trial goes on: all that the steps still to come depend on, in one file.
//
// The file is a line with a checksum of the rest, a line of JSON, and an archive of libtorch with
// the weights, the state of Adam and the kept rows. Nothing of it is looked at before the checksum
// holds.
#pragma once

#include <filesystem>
#include <vector>

#include "io/json.h"
#include "lab/torch.h"
#include "sextant/trial.h"

namespace sextant {

struct TrainingProgress {
  Index step = 0;  // steps taken
  std::vector<CurvePoint> curve = {};
  double loss_sum = 0.0;  // of the steps after the last point of the curve
  Index loss_count = 0;
  double seconds = 0.0;  // spent on steps so far
  std::vector<Index> kept_steps = {};
  std::vector<torch::Tensor> kept_rows = {};  // one [n, dim] for each of them
};

// `identity` is what must be the same when the trial goes on. Replaces the file as a whole.
void write_checkpoint(const std::filesystem::path& path, const Json& identity,
                      const TrainingProgress& progress, const torch::nn::Module& model,
                      const torch::optim::Adam& optimizer);

// Loads the module and the optimizer. Throws kCheckpoint for a damaged file and with the first
// members in which the identity differs, and kUnreadable.
TrainingProgress read_checkpoint(const std::filesystem::path& path, const Json& identity,
                                 torch::nn::Module& model, torch::optim::Adam& optimizer);

}  // namespace sextant
