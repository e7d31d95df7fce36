// SPDX-License-Identifier: Apache-2.0
// Little-endian fields one after the other, of a file or of bytes in memory. No length is believed:
// each is held against what remains before anything is allocated.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "io/input_file.h"

namespace sextant {

template <typename T>
concept LittleEndianField = std::integral<T> || std::same_as<T, float> || std::same_as<T, double>;

// Refers to the file or the bytes. `what` names a field in messages; a field that does not fit is
// kMalformed "FILE: offset N: WHAT needs 8 bytes but 3 remain".
class BoundedReader {
 public:
  explicit BoundedReader(const InputFile& file)
      : file_(&file), name_(file.name()), size_(file.size()) {}
  // `name` as messages print it.
  BoundedReader(std::string_view bytes, std::string name)
      : name_(std::move(name)), size_(bytes.size()), window_(bytes) {}
  BoundedReader(const BoundedReader&) = delete;
  BoundedReader& operator=(const BoundedReader&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return size_; }
  std::uint64_t position() const { return position_; }
  std::uint64_t remaining() const { return size_ - position_; }

  template <LittleEndianField T>
  T number(std::string_view what) {
    const std::uint64_t bits = little_endian(sizeof(T), what);
    if constexpr (std::same_as<T, double>) return std::bit_cast<double>(bits);
    if constexpr (std::same_as<T, float>)
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if constexpr (std::integral<T>) return static_cast<T>(bits);
  }
  std::string text(std::uint64_t length, std::string_view what);
  void read(std::span<std::byte> bytes, std::string_view what);
  void skip(std::uint64_t count, std::string_view what);
  void seek(std::uint64_t offset, std::string_view what);  // from the start

  // The first bytes, at most `most`, wherever the position is.
  std::string start(std::size_t most) const;

  template <typename... Args>
  [[noreturn]] void fail_at(std::uint64_t offset, fmt::format_string<Args...> message,
                            Args&&... args) const {
    fail(ErrorCode::kMalformed, fmt::format("{}: offset {}", name_, offset), message,
         std::forward<Args>(args)...);
  }

 private:
  std::uint64_t little_endian(std::size_t count, std::string_view what);
  void check_remaining(std::uint64_t count, std::string_view what) const;
  void fill_window();

  const InputFile* file_ = nullptr;  // none: the window is everything
  std::string name_;
  std::uint64_t size_ = 0, position_ = 0, window_begin_ = 0;
  std::vector<char> buffer_;  // the window's own memory for a file
  std::string_view window_;
};

}  // namespace sextant
