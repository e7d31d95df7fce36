// SPDX-License-Identifier: Apache-2.0
// Trials as processes of sextant-lab, side by side, with progress and what is already there.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "cli/verb.h"
#include "training/findings.h"

namespace sextant::cli {

// Whole or not at all; an existing file is replaced.
void write_file(const std::filesystem::path& path, const std::string& text);

// The folder, with those above it. Throws kUnwritable.
std::filesystem::path made_folder(const std::filesystem::path& folder);

struct TrialRunner {
  std::filesystem::path lab = {};     // the program
  std::string verb = "trial";         // of it
  std::filesystem::path folder = {};  // where the folders of the trials are
  bool resume = false;                // keep what is finished, go on with the others
  std::optional<Index> jobs = {};     // at once; default: globals.threads
  std::string corpus_hash = {};       // of trials that have a corpus
};

// Runs what has no result yet and fills the outcomes. A trial that fails is noted, and the others
// go on. Returns the exit status: 0, that of the first failure, or kStoppedBySignal.
int run_trials(std::span<TrialOutcome> outcomes, const TrialRunner& runner, const Globals& globals);

}  // namespace sextant::cli
