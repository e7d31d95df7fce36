// SPDX-License-Identifier: Apache-2.0
// One trial from its first step to its result.
#pragma once

#include <filesystem>
#include <functional>

#include "sextant/task.h"
#include "sextant/trial.h"

namespace sextant {

struct TrainingControl {
  // After a step: its number and loss. False: stop here; with a folder, a checkpoint is left.
  std::function<bool(Index step, double loss)> on_step = [](Index, double) { return true; };
  // Where checkpoints, kept rows, learned values and attention maps go; empty: nowhere.
  std::filesystem::path folder = {};
  Index checkpoint_every = 200;  // steps
  bool resume = false;           // from the checkpoint in the folder, which must be of this trial
};

// Deterministic for a trial: stopped and resumed anywhere, the same bits. nullopt: stopped by
// on_step. A loss or a gradient that is not finite ends the trial as kNotFinite.
std::optional<TrialResult> train(const Trial& trial, const Task& task,
                                 const TrainingControl& control);

}  // namespace sextant
