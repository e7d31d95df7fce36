// SPDX-License-Identifier: Apache-2.0
// Where the programs are that sextant starts: what they link, sextant itself does not need.
#pragma once

#include <filesystem>
#include <string_view>

namespace sextant::cli {

// What the environment variable `variable` names, else the program `name` beside this one, else in
// PATH. Throws kUnreadable with `advice`, which says what it is for and how to get it.
std::filesystem::path other_program(const char* name, const char* variable,
                                    std::string_view advice);

}  // namespace sextant::cli
