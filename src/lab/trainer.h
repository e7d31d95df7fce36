// SPDX-License-Identifier: Apache-2.0
// One trial from its first step to its result.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "sextant/task.h"
#include "sextant/trial.h"

namespace sextant {

class TransformerModule;

// In the folder of a trial: the last checkpoint and the one before it.
inline constexpr const char* kCheckpointName = "checkpoint";
inline constexpr const char* kPreviousCheckpointName = "checkpoint.previous";

struct TrainingControl {
  // After a step: its number, counted from 1, and loss. False: stop here; with a folder, a
  // checkpoint is left.
  std::function<bool(Index step, double loss)> on_step = [](Index, double) { return true; };
  // Asked during the tests, which come after the last step. False: as above.
  std::function<bool()> goes_on = [] { return true; };
  // One sentence: a checkpoint that could not be written or read. Training goes on.
  std::function<void(const std::string& what)> on_warning = [](const std::string&) {};
  // Where checkpoints, kept rows, learned values and attention maps go; empty: nowhere. Made where
  // it is missing.
  std::filesystem::path folder = {};
  double checkpoint_seconds = 30.0;  // the most that a killed run loses, besides one step
  Index checkpoint_every = 0;        // steps; 0: by time alone
  // From the checkpoint in the folder, which must be of this trial, these texts and files and this
  // release of the framework; from the first step where there is none.
  bool resume = false;
  std::string corpus_hash = {};  // of the texts behind the tasks
  std::string files_hash = {};   // of the files that the trial names
  // The model with its first weights, before a checkpoint and the first step.
  std::function<void(const TransformerModule& model)> on_start = [](const TransformerModule&) {};
  // The model after its last step and its tests, where all were finite.
  std::function<void(TransformerModule& model)> on_trained = [](TransformerModule&) {};
};

// Deterministic for a trial: stopped and resumed anywhere, the same bits. `test_task` is the same
// task on text that training does not see; for tasks without text the same object. nullopt: stopped
// by on_step or goes_on. A loss or a gradient that is not finite ends the trial as kNotFinite. So
// does a test loss, but the other lengths are tested too.
//
// What cannot work fails before the first step: kUsage for lengths that the task or the encoding
// does not have and for a device that is not there; kCheckpoint for a checkpoint that is of another
// trial or damaged. kRefused where the memory does not suffice.
std::optional<TrialResult> train(const Trial& trial, const Task& task, const Task& test_task,
                                 const TrainingControl& control);

// What train() does before its first step, and nothing more: throws what it would throw.
void check_trial(const Trial& trial, const Task& task, const Task& test_task);

// "libtorch 1.13.1", as results name it.
std::string framework_name();

}  // namespace sextant
