// SPDX-License-Identifier: Apache-2.0
#include "corpus/line_range.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "corpus/line_source.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

std::string shown(ByteStream& stream) {
  std::string bytes(64, '\0');
  bytes.resize(stream.read(bytes));
  return bytes;
}

// Where lines start, by the definition: after LF, or after a CR that no LF follows.
std::vector<std::size_t> starts_of(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool after_feed = i > 0 && text[i - 1] == '\n';
    const bool after_return = i > 0 && text[i - 1] == '\r' && text[i] != '\n';
    if (i == 0 || after_feed || after_return) starts.push_back(i);
  }
  return starts;
}

// The bytes of the lines that start in [begin, end).
std::string expected(const std::string& text, std::size_t begin, std::size_t end) {
  const std::vector<std::size_t> starts = starts_of(text);
  std::string result;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const std::size_t next = k + 1 < starts.size() ? starts[k + 1] : text.size();
    if (starts[k] >= begin && starts[k] < end) result += text.substr(starts[k], next - starts[k]);
  }
  return result;
}

void expect_every_range(const TemporaryDirectory& folder, const std::string& text) {
  const std::filesystem::path path = folder.write("text", text);
  for (std::size_t begin = 0; begin <= text.size(); ++begin) {
    for (std::size_t end = begin; end <= text.size(); ++end) {
      const auto range = open_line_range(path, begin, end);
      const std::string found = shown(*range);
      ASSERT_EQ(found, expected(text, begin, end))
          << testing::PrintToString(text) << " " << begin << " " << end;
      ASSERT_EQ(range->size(), found.size());
      ASSERT_EQ(range->consumed(), found.size());
      if (found.empty()) continue;
      ASSERT_EQ(text.compare(range->offset(), found.size(), found), 0);
      std::uint64_t before = 0;
      for (const std::size_t start : starts_of(text)) before += start < range->offset() ? 1 : 0;
      ASSERT_EQ(range->lines_before(), before);
    }
  }
}

TEST(LineRange, ShowsTheLinesThatStartInItForEveryTextAndCut) {
  const TemporaryDirectory folder;
  for (std::size_t length = 1; length <= 5; ++length) {
    std::size_t texts = 1;
    for (std::size_t i = 0; i < length; ++i) texts *= 3;
    for (std::size_t code = 0; code < texts; ++code) {
      std::string text;
      for (std::size_t rest = code; text.size() < length; rest /= 3) text += "a\r\n"[rest % 3];
      expect_every_range(folder, text);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(LineRange, FindsLineEndsAcrossItsWindows) {
  const TemporaryDirectory folder;
  constexpr std::size_t kWindow = std::size_t{1} << 16;
  for (std::size_t shift = 0; shift < 4; ++shift) {
    const std::string first(kWindow - shift, 'x');
    const auto path = folder.write("text", first + "\r\nsecond\nthird");
    const auto range = open_line_range(path, 1, first.size() + 3);
    EXPECT_EQ(shown(*range), "second\n") << shift;
    EXPECT_EQ(range->lines_before(), 1U);
  }
}

TEST(LineRange, RefusesALineAboveTheLimit) {
  const TemporaryDirectory folder;
  const auto path = folder.write("text", "");
  std::filesystem::resize_file(path, kLongestLine + 10);
  expect_error(ErrorCode::kRefused, "offset 3: line of more than",
               [&] { open_line_range(path, 3, kLongestLine + 10); });
}

}  // namespace
}  // namespace sextant
