// SPDX-License-Identifier: Apache-2.0
// The files that a study reads, for ranks to compare.
#pragma once

#include <filesystem>
#include <vector>

#include "run/study_choice.h"

namespace sextant {

// Globs and folders expanded: texts, tokenizer, tables of encodings, distributions, and the files
// of the built-in sample. Not stdin. Throws kUnreadable for an input that is missing.
std::vector<std::filesystem::path> files_of(const StudyChoice& choice);

}  // namespace sextant
