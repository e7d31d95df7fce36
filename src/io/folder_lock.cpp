// SPDX-License-Identifier: Apache-2.0
#include "io/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "base/check.h"
#include "base/text.h"

namespace sextant {
namespace {

// What the holder wrote: a process number. It may be about to write it.
std::string holder(int descriptor) {
  std::array<char, 24> text = {};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  if (size <= 0) return "unknown";
  const std::string_view read(text.data(), static_cast<std::size_t>(size));
  return escaped(read.substr(0, read.find('\n')));
}

// The path still names the open file.
bool is_named(int descriptor, const std::filesystem::path& file) {
  struct stat open = {}, named = {};
  return ::fstat(descriptor, &open) == 0 && ::stat(file.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

const std::filesystem::path& made_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(ErrorCode::kUnwritable, path_text(folder), "{}", error.message());
  return folder;
}

FolderLock::FolderLock(const std::filesystem::path& folder) : file_(folder / kLockName) {
  const auto fail_unwritable = [&](int error) {
    fail(ErrorCode::kUnwritable, path_text(file_), "{}", std::system_category().message(error));
  };
  do {  // the holder before us may have removed the file that we opened
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor_ < 0) fail_unwritable(errno);
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      const std::string pid = holder(descriptor_);
      ::close(descriptor_);
      if (error != EWOULDBLOCK) fail_unwritable(error);
      fail(ErrorCode::kCheckpoint, path_text(folder), "in use by pid {}", pid);
    }
  } while (!is_named(descriptor_, file_));
  const std::string pid = fmt::format("{}\n", ::getpid());
  const bool written = ::ftruncate(descriptor_, 0) == 0 &&
                       ::pwrite(descriptor_, pid.data(), pid.size(), 0) == std::ssize(pid);
  if (!written) {
    const int error = errno;
    ::close(descriptor_);
    fail_unwritable(error);
  }
}

FolderLock::~FolderLock() {
  ::unlink(file_.c_str());  // while it is held, so that nobody can hold it
  ::close(descriptor_);
}

}  // namespace sextant
