// SPDX-License-Identifier: Apache-2.0
// A comparison of encodings by training, for a terminal.
#pragma once

#include <span>
#include <string>

#include "cli/output.h"
#include "run/trial_document.h"

namespace sextant::cli {

// For each test length a table of encodings and baselines, the best first, and what the paired
// tests say; then the trials that have no number.
std::string training_text(const TrainingRun& run, const Style& style);

// The tasks with what they show.
std::string task_list_text(const TaskRegistry& tasks, const Style& style);

}  // namespace sextant::cli
