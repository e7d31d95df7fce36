// SPDX-License-Identifier: Apache-2.0
// Small fields come out of one window over the file; what is larger than it goes past it.
#include "io/bounded_reader.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace sextant {
namespace {

constexpr std::size_t kWindowBytes = std::size_t{1} << 16;

}  // namespace

void BoundedReader::check_remaining(std::uint64_t count, std::string_view what) const {
  if (count > remaining())
    fail_at(position_, "{} needs {} bytes but {} remain", what, count, remaining());
}

void BoundedReader::fill_window() {
  buffer_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kWindowBytes, remaining())));
  file_->read_at(position_, std::as_writable_bytes(std::span(buffer_)));
  window_ = {buffer_.data(), buffer_.size()};
  window_begin_ = position_;
}

void BoundedReader::read(std::span<std::byte> bytes, std::string_view what) {
  check_remaining(bytes.size(), what);
  if (bytes.empty()) return;
  const auto in_window = [&] {
    return position_ >= window_begin_ && position_ - window_begin_ <= window_.size() &&
           window_.size() - (position_ - window_begin_) >= bytes.size();
  };
  if (file_ != nullptr && bytes.size() > kWindowBytes) {
    file_->read_at(position_, bytes);
  } else {
    if (!in_window()) fill_window();
    std::memcpy(bytes.data(), window_.data() + (position_ - window_begin_), bytes.size());
  }
  position_ += bytes.size();
}

std::uint64_t BoundedReader::little_endian(std::size_t count, std::string_view what) {
  std::array<std::byte, sizeof(std::uint64_t)> bytes = {};
  read(std::span(bytes).first(count), what);
  std::uint64_t bits = 0;
  for (std::size_t i = count; i-- > 0;) bits = bits << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return bits;
}

std::string BoundedReader::text(std::uint64_t length, std::string_view what) {
  check_remaining(length, what);
  std::string result(length, '\0');
  read(std::as_writable_bytes(std::span(result)), what);
  return result;
}

void BoundedReader::skip(std::uint64_t count, std::string_view what) {
  check_remaining(count, what);
  position_ += count;
}

void BoundedReader::seek(std::uint64_t offset, std::string_view what) {
  if (offset > size_) fail_at(offset, "{} lies beyond the end at {}", what, size_);
  position_ = offset;
}

std::string BoundedReader::start(std::size_t most) const {
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(most, size_)), '\0');
  if (file_ != nullptr)
    file_->read_at(0, std::as_writable_bytes(std::span(bytes)));
  else
    window_.copy(bytes.data(), bytes.size());
  return bytes;
}

}  // namespace sextant
