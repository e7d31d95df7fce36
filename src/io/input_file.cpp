// SPDX-License-Identifier: Apache-2.0
// pread with the signals and the short reads that POSIX allows.
#include "io/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace sextant {
namespace {

[[noreturn]] void fail_unreadable(std::string_view name, int error) {
  fail(ErrorCode::kUnreadable, name, "{}", std::system_category().message(error));
}

FileIdentity identity_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

}  // namespace

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)), name_(path_text(path_)) {
  // O_NONBLOCK: opening a FIFO would otherwise wait for a writer.
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0) fail_unreadable(name_, errno);
  struct stat status = {};
  const int error = ::fstat(descriptor_, &status) == 0 ? 0 : errno;
  if (error == 0 && S_ISREG(status.st_mode)) {
    identity_ = identity_of(status);
    return;
  }
  ::close(descriptor_);
  if (error != 0) fail_unreadable(name_, error);
  fail(ErrorCode::kUnreadable, name_, "must be a regular file but is a {}",
       S_ISDIR(status.st_mode) ? "directory" : "pipe or a device");
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_unreadable(name_, errno);
    if (got == 0) fail_changed();
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

void InputFile::verify_unchanged() const {
  struct stat status = {};
  if (::stat(path_.c_str(), &status) != 0 || identity_of(status) != identity_) fail_changed();
}

void InputFile::fail_changed() const {
  fail(ErrorCode::kUnreadable, name_, "changed during reading");
}

std::string read_whole(const std::filesystem::path& path, std::uint64_t most_bytes) {
  const InputFile file(path);
  if (file.size() == 0) fail(ErrorCode::kMalformed, file.name(), "empty");
  if (file.size() > most_bytes)
    fail(ErrorCode::kRefused, file.name(), "has {} bytes, above the limit of {}", file.size(),
         most_bytes);
  std::string bytes(file.size(), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(bytes)));
  file.verify_unchanged();
  return bytes;
}

}  // namespace sextant
