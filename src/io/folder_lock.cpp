// SPDX-License-Identifier: Apache-2.0
#include "io/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
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

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kLockName;
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  const auto fail_unwritable = [&](int error) {
    fail(ErrorCode::kUnwritable, path_text(file), "{}", std::system_category().message(error));
  };
  if (descriptor_ < 0) fail_unwritable(errno);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    const std::string pid = holder(descriptor_);
    ::close(descriptor_);
    if (error != EWOULDBLOCK) fail_unwritable(error);
    fail(ErrorCode::kCheckpoint, path_text(folder), "in use by pid {}", pid);
  }
  const std::string pid = fmt::format("{}\n", ::getpid());
  const bool written = ::ftruncate(descriptor_, 0) == 0 &&
                       ::pwrite(descriptor_, pid.data(), pid.size(), 0) == std::ssize(pid);
  if (!written) {
    const int error = errno;
    ::close(descriptor_);
    fail_unwritable(error);
  }
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace sextant
