// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace sextant {

// "AMD EPYC 7B13", as the system calls it; "unknown" where it does not say. `root` is the folder
// that holds proc.
std::string processor_model(const std::filesystem::path& root = "/");

}  // namespace sextant
