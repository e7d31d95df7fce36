// SPDX-License-Identifier: Apache-2.0
// Counting bad records and putting remarks into sentences.
#include "corpus/read_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/check.h"

namespace sextant {
namespace {

std::string text_of(const BadRecord& bad) {
  const std::string column = bad.place.column == 0 ? "" : fmt::format(":{}", bad.place.column);
  return fmt::format("left out input {}:{}{}: {}", bad.input + 1, bad.place.line, column, bad.what);
}

}  // namespace

void ReadLog::leave_out(const InputName& input, TextPlace place, std::string_view what) {
  const std::string column = place.column == 0 ? "" : fmt::format(":{}", place.column);
  if (skipped == skip_bad) {
    fail(ErrorCode::kMalformed, fmt::format("{}:{}{}", input.text, place.line, column), "{}{}",
         what, skip_bad == 0 ? "" : fmt::format(" ({} bad records left out before)", skipped));
  }
  ++skipped;
  if (listed.size() < kListed)
    listed.push_back({.input = input.number, .place = place, .what = std::string(what)});
}

void ReadLog::merge(const ReadLog& other) {
  crlf += other.crlf;
  cr += other.cr;
  blank += other.blank;
  marks += other.marks;
  replaced += other.replaced;
  std::vector<BadRecord> both;
  std::ranges::merge(listed, other.listed, std::back_inserter(both));
  both.resize(std::min(both.size(), kListed));
  listed = std::move(both);
  if (other.skipped > skip_bad - skipped) {
    fail(ErrorCode::kMalformed, "corpus", "more than {} bad records in all shards; {}", skip_bad,
         listed.empty() ? "none is listed" : text_of(listed.front()));
  }
  skipped += other.skipped;
}

std::vector<std::string> ReadLog::notes() const {
  std::vector<std::string> result;
  const auto note = [&](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count > 0) result.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  note(marks, "byte order mark stripped", "byte order marks stripped");
  note(crlf, "line ends in CRLF", "lines end in CRLF");
  note(cr, "line ends in CR alone", "lines end in CR alone");
  note(blank, "blank line skipped", "blank lines skipped");
  note(replaced, "invalid byte sequence replaced by U+FFFD",
       "invalid byte sequences replaced by U+FFFD");
  note(static_cast<std::uint64_t>(skipped), "bad record left out", "bad records left out");
  for (const BadRecord& bad : listed) result.push_back(text_of(bad));
  return result;
}

}  // namespace sextant
