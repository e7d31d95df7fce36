// SPDX-License-Identifier: Apache-2.0
// The lines of a text: the one place that knows line ends, byte order marks and invalid bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "corpus/read_log.h"
#include "io/byte_stream.h"
#include "sextant/corpus.h"

namespace sextant {

inline constexpr std::size_t kLongestLine = std::size_t{1} << 26;

struct Line {
  std::string_view text;     // without its end; kPadding more bytes can be read after it
  std::string_view end;      // "\n", "\r\n", "\r", or "" at the end of the file
  std::uint64_t number = 0;  // from 1 where the stream begins
  std::string fault;         // why the line is bad; empty: it is not
};

// Lines end at LF, CRLF or CR, never at U+2028. Invalid UTF-8 and NUL make a line bad, by the rule
// `invalid`. Throws kMalformed for UTF-16 and other binary files, kRefused for a line above
// kLongestLine.
class LineSource {
 public:
  static constexpr std::size_t kPadding = 64;

  // Reads `chunk` bytes at a time.
  LineSource(std::unique_ptr<ByteStream> stream, InputName name, InvalidBytes invalid, ReadLog& log,
             std::size_t chunk = std::size_t{1} << 22);

  // Valid until the next call. False at the end.
  bool next(Line& line);

  const ByteStream& stream() const { return *stream_; }
  const InputName& name() const { return name_; }
  ReadLog& log() { return log_; }
  // See ReadLog::leave_out. Lines are counted from where the stream begins; messages count them
  // from where the file does.
  void leave_out(std::uint64_t line, std::string_view what, std::uint64_t column = 0);
  std::uint64_t line_of_file(std::uint64_t line) const;
  std::string where(std::uint64_t line) const;      // "FILE:LINE"
  bool empty() const { return base_ + end_ == 0; }  // after the first call of next()

 private:
  bool fill();
  void reserve(std::size_t size);
  void check_start();
  bool is_suspect(std::string_view text) const;
  void judge(Line& line);
  std::string_view held(std::size_t from, std::size_t to) const {
    return {buffer_.get() + from, to - from};
  }

  std::unique_ptr<ByteStream> stream_;
  InputName name_;
  InvalidBytes invalid_;
  ReadLog& log_;
  std::size_t chunk_;

  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;  // without the padding
  std::uint64_t base_ = 0;    // of buffer_[0] in the file
  // buffer_[begin_, complete_) are whole lines; [complete_, end_) has no line end.
  std::size_t begin_ = 0, complete_ = 0, end_ = 0;
  std::size_t feed_ = 0, return_ = 0;  // the first LF and CR at or after begin_, or complete_
  bool suspect_ = false;               // there may be a bad line in [begin_, complete_)
  bool at_end_ = false;
  std::uint64_t lines_ = 0;
  mutable std::optional<std::uint64_t> lines_before_;  // of the stream in the file, once asked for
  std::string replaced_;
};

}  // namespace sextant
