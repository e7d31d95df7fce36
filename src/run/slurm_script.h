// SPDX-License-Identifier: Apache-2.0
// A batch script of Slurm that runs a divided command as a job array, and then the command that
// puts the parts together.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

// The largest array that Slurm takes unless its administrator allows more.
inline constexpr Index kMostParts = 1000;

// As one word of any POSIX shell: quoted where it must be.
std::string shell_word(std::string_view text);

struct SlurmJob {
  std::string name = {};                  // of the job and of its output files
  std::vector<std::string> command = {};  // the program and its arguments, without those below
  std::vector<std::string> part_arguments = {};  // each word as shell code: "$part" is the number
  std::vector<std::string> end_arguments = {};   // of the command that puts the parts together
  Index parts = 1;
  Index cpus = 1;                            // of a part
  std::string time = {};                     // limit of a part, as sbatch takes it
  std::optional<std::uint64_t> memory = {};  // bytes of a part
};

// Throws kUsage, naming `option`, for a text that sbatch does not take as a limit of time: minutes,
// M:S, H:M:S, D-H, D-H:M or D-H:M:S.
void check_slurm_time(std::string_view option, std::string_view text);

// `file` is how the script will be named. Started by itself it submits the parts and the job after
// them; `sbatch FILE` submits the parts alone. It names no path that the command does not name.
std::string slurm_script(const SlurmJob& job, std::string_view file);

// The two commands that the script runs when it is started by itself, for people who submit.
std::vector<std::string> slurm_submission(std::string_view file);

}  // namespace sextant
