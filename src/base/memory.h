// SPDX-License-Identifier: Apache-2.0
// How much memory a job may plan with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace sextant {

// Bytes that can still be allocated: the least of MemAvailable and of what each control group of
// this process (v2 memory.max, v1 memory.limit_in_bytes) leaves; cached file pages of a group count
// as free. Nothing where the system does not say. `root` is the folder that holds proc and sys.
std::optional<std::uint64_t> available_memory(const std::filesystem::path& root = "/");

}  // namespace sextant
