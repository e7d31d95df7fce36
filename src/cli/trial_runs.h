// SPDX-License-Identifier: Apache-2.0
// Trials in processes of sextant-lab, side by side, with one line of progress: what every verb that
// trains does once it has planned.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "cli/verb.h"
#include "run/process_pool.h"
#include "sextant/error.h"
#include "training/findings.h"

namespace sextant::cli {

// Larger ones are slips of the keyboard.
inline constexpr Index kMostSeeds = 1000;
inline constexpr Index kMostJobs = 4096;

// Throws kUnwritable when the document or a trial of an earlier run is in the folder.
void check_nothing_exists(const std::filesystem::path& folder, std::string_view document,
                          std::span<const TrialOutcome> outcomes);

// Of a program that failed: its own code where its exit status is one of ours, else kInternal.
ErrorCode failure_code(const ProcessEnd& end);

struct TrialRuns {
  std::filesystem::path folder = {};  // each trial has one of its own in it
  std::filesystem::path lab = {};     // the program
  std::string corpus_hash = {};       // of trials that have a corpus
  bool resume = false;                // results and checkpoints in the folders count
  Index jobs = 1;
  std::string verb = "trial";  // of the program
};

// Runs what has no result yet and fills the outcomes. Returns the exit status: that of the first
// trial that failed, kStoppedBySignal, or 0.
int run_trials(std::span<TrialOutcome> outcomes, const TrialRuns& runs, const Globals& globals);

}  // namespace sextant::cli
