// SPDX-License-Identifier: Apache-2.0
// Folders that hold the outputs of a run: made where they are missing, one process at a time, or
// several that do different parts.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace sextant {

inline constexpr const char* kLockName = ".sextant-lock";

// The folder, made where it was not there. Throws kUnwritable.
const std::filesystem::path& made_folder(const std::filesystem::path& folder);

// The same, but folders that were not there before, parents too, and are empty at the end go again:
// a run that fails leaves nothing.
class OutputFolder {
 public:
  explicit OutputFolder(std::filesystem::path folder);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_;  // the innermost first
};

// Holds DIR/kLockName, which names our process. The kernel frees the lock when the process
// ends, however it ends, so that a lock is never stale; the file goes with the holder. Throws
// kCheckpoint "in use by pid N" when another holder exists (also in this process), kUnwritable when
// the file cannot be made.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::filesystem::path file_;
  int descriptor_ = -1;
};

// Holds some parts of a folder, by their names, so that several processes, also of several machines
// on a shared file system, do theirs in it at once. Nobody can hold a part twice, nor the folder as
// a whole while one of its parts is held. Throws as FolderLock does; kCheckpoint names the part
// that another process holds. The file stays: others may hold parts by it.
class FolderParts {
 public:
  FolderParts(const std::filesystem::path& folder, std::span<const std::string> parts);
  ~FolderParts();
  FolderParts(const FolderParts&) = delete;
  FolderParts& operator=(const FolderParts&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace sextant
