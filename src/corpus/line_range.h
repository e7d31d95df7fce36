// SPDX-License-Identifier: Apache-2.0
// Some lines of an uncompressed file, found without reading those before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "io/byte_stream.h"

namespace sextant {

// The lines that start in the bytes [begin, end) of the file: ranges that follow each other show
// every line once. Lines end as in LineSource. Throws as open_byte_stream() does, and kRefused
// where the line at `begin` or `end` is above kLongestLine. REQUIRES: begin <= end <= size of the
// file.
std::unique_ptr<ByteStream> open_line_range(const std::filesystem::path& path, std::uint64_t begin,
                                            std::uint64_t end);

}  // namespace sextant
