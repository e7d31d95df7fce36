// SPDX-License-Identifier: Apache-2.0
// An input that is read by position into the caller's memory. No mmap: a file cut short under a
// mapping kills the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace sextant {

struct FileIdentity {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t seconds = 0, nanoseconds = 0;  // of the last change of the content
  bool operator==(const FileIdentity&) const = default;
};

// All failures are kUnreadable and name the path. Only regular files are opened: a pipe or a
// device has no size to check anything against.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::uint64_t size() const { return identity_.size; }

  // The path as messages print it.
  const std::string& name() const { return name_; }

  // Fills `bytes`. Fewer bytes in the file mean that it shrank. REQUIRES: offset + bytes.size()
  // <= size().
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const;

  // Call after the last read: throws when the path no longer names the same file with the same
  // size and time of change.
  void verify_unchanged() const;

 private:
  [[noreturn]] void fail_changed() const;

  std::filesystem::path path_;
  std::string name_;
  int descriptor_ = -1;
  FileIdentity identity_;
};

// The whole file. kRefused beyond `most_bytes`, kMalformed when it is empty.
std::string read_whole(const std::filesystem::path& path, std::uint64_t most_bytes);

}  // namespace sextant
