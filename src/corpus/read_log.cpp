// SPDX-License-Identifier: Apache-2.0
// Counting bad records and putting remarks into sentences.
#include "corpus/read_log.h"

#include <fmt/format.h>

#include "base/check.h"

namespace sextant {
namespace {

constexpr std::size_t kListed = 10;

}  // namespace

void ReadLog::leave_out(const InputName& input, TextPlace place, std::string_view what) {
  const std::string column = place.column == 0 ? "" : fmt::format(":{}", place.column);
  if (skipped == skip_bad) {
    fail(ErrorCode::kMalformed, fmt::format("{}:{}{}", input.text, place.line, column), "{}{}",
         what, skip_bad == 0 ? "" : fmt::format(" ({} bad records left out before)", skipped));
  }
  ++skipped;
  if (listed.size() < kListed)
    listed.push_back(
        fmt::format("left out input {}:{}{}: {}", input.number + 1, place.line, column, what));
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
  result.insert(result.end(), listed.begin(), listed.end());
  return result;
}

}  // namespace sextant
