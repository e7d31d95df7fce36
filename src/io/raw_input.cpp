// SPDX-License-Identifier: Apache-2.0
// One buffer in front of pread or of read on stdin.
#include "io/raw_input.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/check.h"

namespace sextant {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 17;

// Blocks until `bytes` is full or stdin ends, also where another program made it non-blocking.
std::size_t read_stdin(std::span<char> bytes, std::string_view name) {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(STDIN_FILENO, bytes.data() + filled, bytes.size() - filled);
    if (got == 0) break;
    if (got > 0) {
      filled += static_cast<std::size_t>(got);
    } else if (errno == EAGAIN) {
      pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      fail(ErrorCode::kUnreadable, name, "{}", std::system_category().message(errno));
    }
  }
  return filled;
}

}  // namespace

RawInput::RawInput(const std::filesystem::path& path) {
  if (path != "-") file_.emplace(path);
  name_ = file_ ? file_->name() : "stdin";
}

std::size_t RawInput::pull(std::span<char> bytes) {
  if (!file_) return read_stdin(bytes, name_);
  const std::size_t count =
      static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), file_->size() - pulled_));
  file_->read_at(pulled_, std::as_writable_bytes(bytes.first(count)));
  pulled_ += count;
  if (pulled_ == file_->size()) file_->verify_unchanged();
  return count;
}

std::string_view RawInput::peek(std::size_t least) {
  if (end_ - begin_ < least) {
    buffer_.resize(kBuffer);
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    end_ += pull(std::span(buffer_).subspan(end_));
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

void RawInput::consume(std::size_t count) {
  begin_ += count;
  consumed_ += count;
}

std::size_t RawInput::read(std::span<char> bytes) {
  const std::size_t held = std::min(bytes.size(), end_ - begin_);
  std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_), held, bytes.begin());
  consume(held);
  const std::size_t pulled = pull(bytes.subspan(held));
  consumed_ += pulled;
  return held + pulled;
}

void RawInput::verify_unchanged() const {
  if (file_) file_->verify_unchanged();
}

}  // namespace sextant
