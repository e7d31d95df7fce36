// SPDX-License-Identifier: Apache-2.0
// What only the program that trains can try: a device, files with weights, and which encodings it
// can train.
#pragma once

#include <filesystem>
#include <span>

#include "sextant/trial.h"

namespace sextant::cli {

// True where something of the trial can fail that this program does not see.
bool needs_check(const Trial& trial);

// `sextant-lab check` on each trial, `jobs` at once; nothing stays written. Throws the first
// failure with the code and the text that the program gave. Returns false when stopped by a signal.
bool check_trials(const std::filesystem::path& lab, std::span<const Trial> trials, Index jobs);

}  // namespace sextant::cli
