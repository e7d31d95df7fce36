// SPDX-License-Identifier: Apache-2.0
// What is said of a file of counts that was written.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cli/verb.h"
#include "corpus/counts_file.h"

namespace sextant::cli {

// One JSON document or a few lines for people; notes of reading go to stderr.
void show_counts(std::string_view verb, const CountsFile& file, const std::filesystem::path& path,
                 const Globals& globals);

}  // namespace sextant::cli
