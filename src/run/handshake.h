// SPDX-License-Identifier: Apache-2.0
// What all ranks of a job must share before they begin: the program, its arguments and the files.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/communicator.h"

namespace sextant {

// Throws kRankLost, on every rank, when version or arguments differ, naming the ranks.
void check_same_program(Communicator& ranks, std::string_view version,
                        std::span<const std::string> arguments);

// Throws kUnreadable, on every rank, for the first of `files` that is not the same everywhere,
// naming the ranks: names, sizes and hashes of the first, the middle and the last 64 KiB are
// compared. A file that no rank can read is left to the reader.
void check_same_files(Communicator& ranks, std::span<const std::filesystem::path> files);

}  // namespace sextant
