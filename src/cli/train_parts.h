// SPDX-License-Identifier: Apache-2.0
// `sextant train` in parts: what a rank tells, and the script that runs all of them on a cluster.
#pragma once

#include <filesystem>
#include <span>

#include "cli/train_options.h"
#include "run/shard_choice.h"

namespace sextant::cli {

// Throws kUsage for options of parts that do not fit each other.
void check_parts_fit(const TrainChoice& choice);

// How the trials of a part ended, and what to do when all parts have.
void show_part(const Shard& share, std::span<const TrialOutcome> outcomes,
               const std::filesystem::path& folder, const Globals& globals);

// Writes the script of --slurm and says how to submit it. Every option is checked as for training.
// Throws kUnwritable for a file that exists, without --force.
int write_slurm_script(const TrainChoice& choice, const Globals& globals);

}  // namespace sextant::cli
