// SPDX-License-Identifier: Apache-2.0
// The options of every verb that measures a corpus, and the way from them to a study.
#pragma once

#include <filesystem>
#include <optional>

#include "cli/corpus_options.h"
#include "cli/progress.h"
#include "cli/verb.h"
#include "run/study_choice.h"

namespace sextant::cli {

// What is counted in a corpus; --shuffles where a null is made.
void add_counting_options(CLI::App& app, StudyChoice& choice, bool shuffles = true);

// Options of the corpus, these and those of the geometry; with `scores` also those of encodings.
void add_study_options(CLI::App& app, StudyChoice& choice, bool scores);

// Where counting keeps its checkpoints.
struct Checkpoints {
  std::filesystem::path folder = {};  // empty: none
  bool resume = false;
};

// How a study runs in the program: until a signal comes, with its progress shown. `progress` and
// `globals` must outlive it.
StudyRun study_run(const Globals& globals, Progress& progress, const Checkpoints& checkpoints);

// Reads and counts the corpus and makes its geometry; without an input the built-in sample where
// `may_sample`. Nothing when a signal stopped it: what was done is in the checkpoint. `scores`:
// also candidates and scores. Throws as the readers do.
std::optional<Study> run_study(const StudyChoice& choice, const Globals& globals, bool scores,
                               bool may_sample, const Checkpoints& checkpoints = {});

}  // namespace sextant::cli
