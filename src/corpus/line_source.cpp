// SPDX-License-Identifier: Apache-2.0
// A buffer that always ends in whole lines, checked as a whole: a line end is never inside a
// character, so no check meets a boundary.
#include "corpus/line_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"
#include "corpus/utf8.h"

namespace sextant {
namespace {

using namespace std::string_view_literals;

struct Signature {
  std::string_view bytes, name;
};

// Longer ones first: the mark of UTF-16 begins the one of UTF-32.
constexpr std::array kMarks = {
    Signature{"\xFF\xFE\x00\x00"sv, "UTF-32"}, Signature{"\x00\x00\xFE\xFF"sv, "UTF-32"},
    Signature{"\xFF\xFE"sv, "UTF-16"}, Signature{"\xFE\xFF"sv, "UTF-16"}};
constexpr std::array kBinary = {
    Signature{"PK\x03\x04"sv, "zip"},   Signature{"\x93NUMPY"sv, "npy"},
    Signature{"\x89HDF"sv, "HDF5"},     Signature{"PAR1"sv, "parquet"},
    Signature{"ARROW1"sv, "arrow"},     Signature{"\xFD\x37zXZ"sv, "xz"},
    Signature{"BZh91AY&SY"sv, "bzip2"}, Signature{"GGUF"sv, "GGUF"},
    Signature{"%PDF-"sv, "PDF"},        Signature{"SXCOUNT\n"sv, "counts"}};
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::size_t kLongestSignature = 16;

std::size_t find_or(std::string_view text, char c, std::size_t otherwise) {
  const void* const found = text.empty() ? nullptr : std::memchr(text.data(), c, text.size());
  return found == nullptr ? otherwise
                          : static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

// After the last line end whose kind is known: a CR in the last place may be half of a CRLF. 0: no
// such line end.
std::size_t whole_lines(std::string_view text) {
  const auto after_last = [&](char c, std::size_t size) -> std::size_t {
    const void* const found = size == 0 ? nullptr : ::memrchr(text.data(), c, size);
    return found == nullptr
               ? 0
               : static_cast<std::size_t>(static_cast<const char*>(found) - text.data()) + 1;
  };
  const std::size_t fed = after_last('\n', text.size());
  text.remove_prefix(fed);
  return text.empty() ? fed : fed + after_last('\r', text.size() - 1);
}

}  // namespace

LineSource::LineSource(std::unique_ptr<ByteStream> stream, InputName name, InvalidBytes invalid,
                       ReadLog& log, std::size_t chunk)
    : stream_(std::move(stream)),
      name_(std::move(name)),
      invalid_(invalid),
      log_(log),
      chunk_(std::max(chunk, kLongestSignature)) {}

bool LineSource::next(Line& line) {
  if (begin_ == complete_ && !fill()) return false;
  if (feed_ < begin_) feed_ = begin_ + find_or(held(begin_, complete_), '\n', complete_ - begin_);
  if (return_ < begin_)
    return_ = begin_ + find_or(held(begin_, complete_), '\r', complete_ - begin_);
  const std::size_t stop = std::min(feed_, return_);
  const bool both = return_ < feed_ && feed_ == return_ + 1 && feed_ < complete_;
  const std::size_t after = stop + (stop == complete_ ? 0u : both ? 2u : 1u);
  line.number = ++lines_;
  line.text = held(begin_, stop);
  line.end = held(stop, after);
  if (both) ++log_.crlf;
  if (stop == return_ && stop != complete_ && !both) ++log_.cr;
  if (line.text.size() > kLongestLine) {
    fail(ErrorCode::kRefused, where(lines_), "line of {} bytes; the limit is {}", line.text.size(),
         kLongestLine);
  }
  line.fault.clear();
  if (suspect_) judge(line);
  begin_ = after;
  return true;
}

void LineSource::leave_out(std::uint64_t line, std::string_view what, std::uint64_t column) {
  log_.leave_out(name_, {.line = line_of_file(line), .column = column}, what);
}

std::uint64_t LineSource::line_of_file(std::uint64_t line) const {
  if (!lines_before_) lines_before_ = stream_->lines_before();
  return *lines_before_ + line;
}

std::string LineSource::where(std::uint64_t line) const {
  return fmt::format("{}:{}", name_.text, line_of_file(line));
}

// REQUIRES: all whole lines are taken. False at the end of the file.
bool LineSource::fill() {
  if (begin_ > 0) std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  base_ += begin_;
  end_ -= begin_;
  begin_ = complete_ = 0;
  while (complete_ == begin_ && !at_end_) {
    if (end_ > kLongestLine) {
      fail(ErrorCode::kRefused, where(lines_ + 1), "line of more than {} bytes", kLongestLine);
    }
    reserve(end_ + chunk_);
    const std::size_t before = end_;
    end_ += stream_->read({buffer_.get() + end_, chunk_});
    at_end_ = end_ - before < chunk_;
    if (base_ == 0 && before == 0 && stream_->offset() == 0) check_start();
    // The bytes held before have no line end, but for a CR in the last place.
    const std::size_t from = std::max(begin_, before == 0 ? 0 : before - 1);
    const std::size_t whole = whole_lines(held(from, end_));
    complete_ = at_end_ ? end_ : whole == 0 ? begin_ : from + whole;
  }
  if (complete_ == begin_) return false;
  feed_ = begin_ + find_or(held(begin_, complete_), '\n', complete_ - begin_);
  return_ = begin_ + find_or(held(begin_, complete_), '\r', complete_ - begin_);
  suspect_ = is_suspect(held(begin_, complete_));
  return true;
}

// Room for `size` bytes and the padding. Unset memory: a small file touches little of it.
void LineSource::reserve(std::size_t size) {
  if (size <= capacity_) return;
  capacity_ = std::max(size, 2 * end_);
  auto larger = std::make_unique_for_overwrite<char[]>(capacity_ + kPadding);
  if (end_ > 0) std::memcpy(larger.get(), buffer_.get(), end_);
  buffer_ = std::move(larger);
}

// Refuses what is no text and steps over the mark of UTF-8.
void LineSource::check_start() {
  const std::string_view start = held(0, end_);
  for (const Signature& mark : kMarks) {
    if (invalid_ != InvalidBytes::kBytes && start.starts_with(mark.bytes)) {
      fail(ErrorCode::kMalformed, name_.text, "offset 0: {} detected; expected UTF-8", mark.name);
    }
  }
  for (const Signature& format : kBinary) {
    if (invalid_ != InvalidBytes::kBytes && start.starts_with(format.bytes)) {
      fail(ErrorCode::kMalformed, name_.text,
           "offset 0: the first bytes are those of {}; expected text", format.name);
    }
  }
  if (!start.starts_with(kUtf8Mark)) return;
  begin_ = kUtf8Mark.size();
  ++log_.marks;
}

bool LineSource::is_suspect(std::string_view text) const {
  if (invalid_ == InvalidBytes::kBytes) return false;
  return find_or(text, '\0', text.size()) != text.size() || !is_utf8(text);
}

void LineSource::judge(Line& line) {
  const std::uint64_t offset = stream_->offset() + base_ + begin_;
  const std::size_t null = find_or(line.text, '\0', line.text.size());
  if (null != line.text.size()) {
    line.fault =
        fmt::format("NUL byte at offset {}; expected text, or --invalid bytes", offset + null);
    return;
  }
  const std::optional<Utf8Fault> fault = first_utf8_fault(line.text);
  if (!fault) return;
  if (invalid_ == InvalidBytes::kError) {
    line.fault =
        fmt::format("invalid UTF-8 at offset {}: {}; expected UTF-8, or --invalid replace or bytes",
                    offset + fault->at, fault->what);
    return;
  }
  replaced_.clear();
  log_.replaced += append_replaced(line.text, replaced_);
  replaced_.reserve(replaced_.size() + kPadding);
  line.text = replaced_;
}

}  // namespace sextant
