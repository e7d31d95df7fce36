// SPDX-License-Identifier: Apache-2.0
// Folders that hold the outputs of a run: made where they are missing, one process at a time.
#pragma once

#include <filesystem>

namespace sextant {

inline constexpr const char* kLockName = ".sextant-lock";

// The folder, made where it was not there. Throws kUnwritable.
const std::filesystem::path& made_folder(const std::filesystem::path& folder);

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

}  // namespace sextant
