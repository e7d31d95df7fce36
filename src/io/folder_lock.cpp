// SPDX-License-Identifier: Apache-2.0
// Locks of open files (F_OFD_SETLK): the whole of the lock file for the folder, one byte of it for
// a part. They end with the descriptor, and NFS passes them on.
#include "io/folder_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/text.h"

namespace sextant {
namespace {

constexpr std::uint64_t kPartSeed = 0x706172740000000B;

// What the holder wrote: a process number. It may be about to write it.
std::string lock_holder(int descriptor) {
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

// A range of the lock file; size 0: all of it.
struct flock range_of(off_t start, off_t size) {
  struct flock range = {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = start;
  range.l_len = size;
  return range;
}

off_t byte_of(std::string_view part) {
  return static_cast<off_t>(hash(part, kPartSeed) >> 2);  // below 2^62: ends of ranges fit too
}

[[noreturn]] void fail_locking(const std::filesystem::path& file, int error) {
  fail(ErrorCode::kUnwritable, path_text(file), "{}", std::system_category().message(error));
}

int open_lock_file(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor < 0) fail_locking(file, errno);
  return descriptor;
}

// Why `range` cannot be had: another holds the folder, or a part of it.
std::string lock_blocker(int descriptor, struct flock range,
                         const std::optional<std::string>& part) {
  const bool known = ::fcntl(descriptor, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
  if (!known || range.l_len == 0) return "in use by pid " + lock_holder(descriptor);
  return part ? fmt::format("'{}' is in use by another process", escaped(*part))
              : "in use by processes that do parts of it";
}

// Takes the range, or closes the descriptor and throws.
void take_range(int descriptor, const std::filesystem::path& file, struct flock range,
                const std::optional<std::string>& part) {
  if (::fcntl(descriptor, F_OFD_SETLK, &range) == 0) return;
  const int error = errno;
  const bool taken = error == EAGAIN || error == EACCES;
  const std::string reason = taken ? lock_blocker(descriptor, range, part) : std::string();
  ::close(descriptor);
  if (!taken) fail_locking(file, error);
  fail(ErrorCode::kCheckpoint, path_text(file.parent_path()), "{}", reason);
}

}  // namespace

const std::filesystem::path& made_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail(ErrorCode::kUnwritable, path_text(folder), "{}", error.message());
  return folder;
}

OutputFolder::OutputFolder(std::filesystem::path folder) : path_(std::move(folder)) {
  std::error_code ignored;
  for (std::filesystem::path each = path_; !each.empty() && !std::filesystem::exists(each, ignored);
       each = each.parent_path())
    made_.push_back(each);
  made_folder(path_);
}

OutputFolder::~OutputFolder() {
  std::error_code ignored;  // one that holds something stays
  for (const std::filesystem::path& each : made_) std::filesystem::remove(each, ignored);
}

FolderLock::FolderLock(const std::filesystem::path& folder) : file_(folder / kLockName) {
  do {  // the holder before us may have removed the file that we opened
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = open_lock_file(file_);
    take_range(descriptor_, file_, range_of(0, 0), {});
  } while (!is_named(descriptor_, file_));
  const std::string pid = fmt::format("{}\n", ::getpid());
  const bool written = ::ftruncate(descriptor_, 0) == 0 &&
                       ::pwrite(descriptor_, pid.data(), pid.size(), 0) == std::ssize(pid);
  if (!written) {
    const int error = errno;
    ::close(descriptor_);
    fail_locking(file_, error);
  }
}

FolderLock::~FolderLock() {
  ::unlink(file_.c_str());  // while it is held, so that nobody can hold it
  ::close(descriptor_);
}

FolderParts::FolderParts(const std::filesystem::path& folder, std::span<const std::string> parts) {
  const std::filesystem::path file = folder / kLockName;
  do {  // as above
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = open_lock_file(file);
    for (const std::string& part : parts)
      take_range(descriptor_, file, range_of(byte_of(part), 1), part);
  } while (!is_named(descriptor_, file));
}

FolderParts::~FolderParts() { ::close(descriptor_); }

}  // namespace sextant
