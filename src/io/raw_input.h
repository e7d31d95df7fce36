// SPDX-License-Identifier: Apache-2.0
// Bytes as they lie on disk or come from stdin, read forward through one buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/input_file.h"

namespace sextant {

// "-" is stdin; everything else must be a regular file. All failures are kUnreadable. At its end a
// file must still be the one that was opened.
class RawInput {
 public:
  explicit RawInput(const std::filesystem::path& path);

  const std::string& name() const { return name_; }  // as messages print it
  std::uint64_t consumed() const { return consumed_; }
  std::uint64_t size() const { return file_ ? file_->size() : 0; }  // 0: unknown, stdin

  // The unconsumed bytes at hand: at least `least` of them unless the input ends before. Valid
  // until the next call. REQUIRES: least <= 64.
  std::string_view peek(std::size_t least = 1);
  // REQUIRES: the last peek() had that many.
  void consume(std::size_t count);
  // Consumes into `bytes`; fewer than asked for only at the end.
  std::size_t read(std::span<char> bytes);

  void verify_unchanged() const;

 private:
  std::size_t pull(std::span<char> bytes);

  std::string name_;
  std::optional<InputFile> file_;  // none: stdin
  std::uint64_t pulled_ = 0, consumed_ = 0;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of the unconsumed bytes in buffer_
};

}  // namespace sextant
