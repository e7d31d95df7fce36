// SPDX-License-Identifier: Apache-2.0
// Whether a folder holds an earlier part of the training run that is to go on there.
#pragma once

#include <filesystem>
#include <string_view>

#include "run/trial_document.h"

namespace sextant {

// Task, corpus and set-up of `run` against those of the document in the folder, or where there is
// none, of the trials there, one of which must agree. Encodings, seeds, and how results are
// compared may differ. Throws kCheckpoint naming what differs, kMalformed for files of another
// kind.
void check_earlier_run(const std::filesystem::path& folder, std::string_view document,
                       const TrainingRun& run);

// The same of any set-up that a run left in a file before its first trial; nothing where there is
// none.
void check_earlier_setup(const std::filesystem::path& file, const Json& setup);

}  // namespace sextant
