// SPDX-License-Identifier: Apache-2.0
// Where the program is that trains: sextant itself does not link a training framework.
#pragma once

#include <filesystem>

namespace sextant::cli {

// What SEXTANT_LAB names, else sextant-lab beside this program, else in PATH. Throws kUnreadable,
// saying how to get it.
std::filesystem::path lab_program();

}  // namespace sextant::cli
