// SPDX-License-Identifier: Apache-2.0
// An output file appears whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace sextant {

// Writes to a temporary file in the same folder; commit() makes it durable and gives it its name.
// Without commit() nothing remains. All failures are kUnwritable and name the path.
class AtomicFile {
 public:
  enum class Existing { kKeep, kReplace };

  // With kKeep an existing `path` is kUnwritable at once, and again at commit(): nothing that
  // appeared meanwhile is overwritten.
  AtomicFile(std::filesystem::path path, Existing existing);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  // Over what was written before, such as a header that holds a count.
  void rewrite(std::uint64_t offset, std::string_view text);
  // Whoever may read the file may run it, as the creation mask allows.
  void make_executable();
  void commit();

 private:
  std::filesystem::path path_, temporary_;
  Existing existing_;
  int descriptor_ = -1;
};

// The text as a whole file, in place of what is there.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace sextant
