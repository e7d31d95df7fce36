// SPDX-License-Identifier: Apache-2.0
// Positional counts as one binary file: what a run resumes from, and what shards exchange.
//
// Layout: magic, schema, the fields in the order of their declaration (little-endian, sizes before
// contents), then a trailer of the file's length and a checksum of everything before.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "io/atomic_file.h"
#include "sextant/corpus.h"

namespace sextant {

struct CountsFile {
  PositionalCounts counts = {};
  std::vector<std::string> tokens = {};  // of a growing vocabulary, in the order of their ids
  std::uint64_t generation = 0;          // of a checkpoint: the newest has the largest
};

// REQUIRES: cells flushed. Throws kUnwritable.
void write_counts(const std::filesystem::path& path, const CountsFile& file,
                  AtomicFile::Existing existing);

// Throws kUnreadable, and kMalformed "FILE: offset N: ..." for any byte that differs from what was
// written. No size is believed before it is compared with the bytes that are left.
CountsFile read_counts(const std::filesystem::path& path);

}  // namespace sextant
