// SPDX-License-Identifier: Apache-2.0
#include "corpus/line_range.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/check.h"
#include "corpus/line_source.h"
#include "io/input_file.h"

namespace sextant {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 16;  // bytes looked at together

// Calls visit(offset, bytes) for the bytes [begin, end), one window after the other, until it
// returns false.
template <typename Visit>
void for_each_window(const InputFile& file, std::uint64_t begin, std::uint64_t end, Visit&& visit) {
  std::string window;
  for (std::uint64_t at = begin; at < end; at += window.size()) {
    window.resize(std::min<std::uint64_t>(kWindow, end - at));
    file.read_at(at, std::as_writable_bytes(std::span(window)));
    if (!visit(at, std::string_view(window))) return;
  }
}

char byte_at(const InputFile& file, std::uint64_t at) {
  char byte = 0;
  file.read_at(at, std::as_writable_bytes(std::span(&byte, 1)));
  return byte;
}

// Where the first line starts at or after `at`: behind the first end of a line from the byte before
// on. The end of the file where none does.
std::uint64_t line_start(const InputFile& file, std::uint64_t at) {
  if (at == 0 || at == file.size()) return at;
  const std::uint64_t from = at - 1;
  const std::uint64_t last = std::min<std::uint64_t>(file.size(), from + kLongestLine + 2);
  std::uint64_t found = last;
  for_each_window(file, from, last, [&](std::uint64_t offset, std::string_view bytes) {
    const std::size_t stop = bytes.find_first_of("\r\n");
    if (stop != bytes.npos) found = offset + stop;
    return stop == bytes.npos;
  });
  if (found == last) {
    if (last == file.size()) return last;
    fail(ErrorCode::kRefused, fmt::format("{}: offset {}", file.name(), at),
         "line of more than {} bytes", kLongestLine);
  }
  const bool both =
      byte_at(file, found) == '\r' && found + 1 < file.size() && byte_at(file, found + 1) == '\n';
  return found + (both ? 2 : 1);
}

class LineRange final : public ByteStream {
 public:
  LineRange(const std::filesystem::path& path, std::uint64_t begin, std::uint64_t end)
      : file_(path),
        begin_(line_start(file_, begin)),
        end_(std::max(begin_, line_start(file_, end))) {}

  std::size_t read(std::span<char> bytes) override {
    const std::uint64_t left = end_ - begin_ - consumed_;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left));
    file_.read_at(begin_ + consumed_, std::as_writable_bytes(bytes.first(count)));
    consumed_ += count;
    if (count == left) file_.verify_unchanged();
    return count;
  }
  std::uint64_t consumed() const override { return consumed_; }
  std::uint64_t size() const override { return end_ - begin_; }
  void verify_unchanged() const override { file_.verify_unchanged(); }
  std::uint64_t offset() const override { return begin_; }

  std::uint64_t lines_before() const override {
    std::uint64_t lines = 0;
    char last = 0;
    for_each_window(file_, 0, begin_, [&](std::uint64_t, std::string_view bytes) {
      for (const char byte : bytes) {
        if (byte == '\r' || (byte == '\n' && last != '\r')) ++lines;
        last = byte;
      }
      return true;
    });
    return lines;
  }

 private:
  InputFile file_;
  std::uint64_t begin_, end_, consumed_ = 0;
};

}  // namespace

std::unique_ptr<ByteStream> open_line_range(const std::filesystem::path& path, std::uint64_t begin,
                                            std::uint64_t end) {
  return std::make_unique<LineRange>(path, begin, end);
}

}  // namespace sextant
