// SPDX-License-Identifier: Apache-2.0
// Order of events: data, fsync of the file, rename, fsync of the folder. A crash between any two
// leaves the old state or the new one.
#include "io/atomic_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace sextant {
namespace {

using std::filesystem::path;

[[noreturn]] void fail_unwritable(const path& target, int error) {
  fail(ErrorCode::kUnwritable, path_text(target), "{}", std::system_category().message(error));
}

[[noreturn]] void fail_existing(const path& target) {
  fail(ErrorCode::kUnwritable, path_text(target), "exists; use --force to replace it");
}

path folder_of(const path& target) {
  return target.has_parent_path() ? target.parent_path() : path(".");
}

// Refuses what a rename must not replace: a folder, or a device such as /dev/null.
void check_target(const path& target, AtomicFile::Existing existing) {
  if (!target.has_filename()) fail_unwritable(target, target.empty() ? ENOENT : EISDIR);
  struct stat status = {};
  if (::stat(target.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail_unwritable(target, EISDIR);
    if (!S_ISREG(status.st_mode))
      fail(ErrorCode::kUnwritable, path_text(target), "must be a regular file");
  }
  if (existing == AtomicFile::Existing::kKeep && ::lstat(target.c_str(), &status) == 0)
    fail_existing(target);
}

// Eight characters that tell this start of this computer from others.
const std::string& boot() {
  static const std::string id = [] {
    std::string text;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
    text.resize(8, '0');
    return text;
  }();
  return id;
}

// A hidden name beside the target: what is written into it, who writes it. The target's own part is
// cut so that the whole fits NAME_MAX.
std::string temporary_prefix(const path& target) {
  return fmt::format(".{}.{}.", target.filename().native().substr(0, 200), boot());
}

path temporary_name(const path& target) {
  static std::atomic<unsigned> counter = 0;
  return folder_of(target) /
         fmt::format("{}{}.{}.tmp", temporary_prefix(target), ::getpid(), counter.fetch_add(1));
}

// Removes what writers of this target left behind that were killed since this computer started.
void remove_stale(const path& target) {
  const std::string prefix = temporary_prefix(target);
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder_of(target), error), end;
       !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().native();
    if (!name.starts_with(prefix) || !name.ends_with(".tmp")) continue;
    const std::string_view rest = std::string_view(name).substr(prefix.size());
    const std::optional<Index> writer = parse_integer(rest.substr(0, rest.find('.')));
    const bool dead = writer && *writer > 0 && *writer < (Index{1} << 31) &&
                      ::kill(static_cast<pid_t>(*writer), 0) != 0 && errno == ESRCH;
    if (dead) ::unlink(entry->path().c_str());
  }
}

// Gives the file its name unless the name is taken. renameat2 is one step; file systems without it
// (NFS) have link. 0 or an errno.
int rename_keeping(const path& from, const path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::link(from.c_str(), to.c_str()) != 0) return errno;
  ::unlink(from.c_str());
  return 0;
}

void sync_folder(const path& target) {
  const int folder = ::open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) fail_unwritable(target, errno);
  const int error = ::fsync(folder) == 0 ? 0 : errno;
  ::close(folder);
  if (error != 0 && error != EINVAL) fail_unwritable(target, error);  // EINVAL: cannot be synced
}

}  // namespace

AtomicFile::AtomicFile(path target, Existing existing)
    : path_(std::move(target)), existing_(existing) {
  check_target(path_, existing_);
  remove_stale(path_);
  do {
    temporary_ = temporary_name(path_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);  // left by a dead process with our number
  if (descriptor_ < 0) fail_unwritable(path_, errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  assert(descriptor_ >= 0);
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_unwritable(path_, errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void AtomicFile::rewrite(std::uint64_t offset, std::string_view text) {
  assert(descriptor_ >= 0);
  while (!text.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_unwritable(path_, errno);
    offset += static_cast<std::uint64_t>(written);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void AtomicFile::make_executable() {
  assert(descriptor_ >= 0);
  struct stat status = {};
  if (::fstat(descriptor_, &status) != 0) fail_unwritable(path_, errno);
  const mode_t mode = status.st_mode & 0777;
  if (::fchmod(descriptor_, mode | (mode & 0444) >> 2) != 0) fail_unwritable(path_, errno);
}

void AtomicFile::commit() {
  assert(descriptor_ >= 0);
  if (::fsync(descriptor_) != 0) fail_unwritable(path_, errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_unwritable(path_, errno);
  int error = 0;
  if (existing_ == Existing::kKeep)
    error = rename_keeping(temporary_, path_);
  else if (::rename(temporary_.c_str(), path_.c_str()) != 0)
    error = errno;
  if (error == EEXIST) fail_existing(path_);
  if (error != 0) fail_unwritable(path_, error);
  temporary_.clear();
  sync_folder(path_);
}

void write_file(const path& path, std::string_view text) {
  AtomicFile file(path, AtomicFile::Existing::kReplace);
  file.write(text);
  file.commit();
}

}  // namespace sextant
