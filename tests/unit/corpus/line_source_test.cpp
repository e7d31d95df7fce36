// SPDX-License-Identifier: Apache-2.0
#include "corpus/line_source.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/memory_stream.h"

namespace sextant {
namespace {

using namespace std::string_literals;

struct Lines {
  std::vector<std::string> texts, ends, faults;
  ReadLog log;
};

Lines lines_of(const std::string& bytes, std::size_t chunk = 1 << 16,
               InvalidBytes invalid = InvalidBytes::kError) {
  Lines result;
  LineSource source(std::make_unique<MemoryStream>(bytes), {.text = "a.txt", .number = 0}, invalid,
                    result.log, chunk);
  for (Line line; source.next(line);) {
    result.texts.emplace_back(line.text);
    result.ends.emplace_back(line.end);
    result.faults.push_back(line.fault);
    EXPECT_EQ(line.number, result.texts.size());
  }
  return result;
}

using Strings = std::vector<std::string>;

TEST(LineSource, EndsLinesAtFeedReturnAndBoth) {
  const Lines lines = lines_of("a\nb\r\nc\rd\n\r\r\n\ne");
  EXPECT_EQ(lines.texts, (Strings{"a", "b", "c", "d", "", "", "", "e"}));
  EXPECT_EQ(lines.ends, (Strings{"\n", "\r\n", "\r", "\n", "\r", "\r\n", "\n", ""}));
  EXPECT_EQ(lines.log.crlf, 2u);
  EXPECT_EQ(lines.log.cr, 2u);
}

TEST(LineSource, KeepsSeparatorsThatEndNoLine) {
  const std::string text =
      "a\xE2\x80\xA8"
      "b\xE2\x80\xA9"
      "c\xC2\x85\v\f";
  EXPECT_EQ(lines_of(text + "\n").texts, Strings{text});
}

TEST(LineSource, GivesTheSameLinesForEveryChunk) {
  std::string bytes = "\xEF\xBB\xBF";
  for (int i = 0; i < 60; ++i) {
    bytes += std::string(static_cast<std::size_t>(i * 7 % 45), 'x') + "\xF0\x9F\x98\x80\xC3\xA4";
    bytes += i % 3 == 0 ? "\r\n" : i % 3 == 1 ? "\n" : "\r";
    if (i % 10 == 4) bytes += "bad \xE2\x82 here\n";
    if (i % 10 == 7) bytes += "null"s + '\0' + "here\n";
  }
  const Lines whole = lines_of(bytes + "last \xE2\x82");
  EXPECT_EQ(whole.texts.size(), 73u);
  EXPECT_EQ(whole.faults[5],
            "invalid UTF-8 at offset 114: truncated sequence; expected UTF-8, or "
            "--invalid replace or bytes");
  EXPECT_EQ(whole.log.marks, 1u);
  for (std::size_t chunk = 16; chunk < 150; ++chunk) {
    const Lines pieces = lines_of(bytes + "last \xE2\x82", chunk);
    EXPECT_EQ(pieces.texts, whole.texts) << chunk;
    EXPECT_EQ(pieces.ends, whole.ends) << chunk;
    EXPECT_EQ(pieces.faults, whole.faults) << chunk;
    EXPECT_EQ(pieces.log.crlf, whole.log.crlf) << chunk;
  }
}

TEST(LineSource, FindsAnInvalidByteAtEveryOffset) {
  for (std::size_t at = 0; at < 100; ++at) {
    std::string bytes(100, 'x');
    bytes[at] = '\xC3';
    const std::string expected = "invalid UTF-8 at offset " + std::to_string(at) + ":";
    for (const std::size_t chunk : {16, 17, 31, 64, 200}) {
      const Lines lines = lines_of(bytes, chunk);
      ASSERT_EQ(lines.faults.size(), 1u);
      EXPECT_EQ(lines.faults[0].substr(0, expected.size()), expected) << chunk;
    }
  }
}

TEST(LineSource, CountsOffsetsFromTheStartOfTheFile) {
  EXPECT_NE(lines_of("\xEF\xBB\xBFok\nab\xFF\n").faults[1].find("offset 8:"), std::string::npos);
  EXPECT_NE(lines_of("ok\n\na\0b"s).faults[2].find("NUL byte at offset 5;"), std::string::npos);
}

TEST(LineSource, ReplacesOrKeepsInvalidBytesWhenAsked) {
  const Lines replaced = lines_of(
      "a\xFF\xFE"
      "b\nc\xE2\x82\n",
      1 << 16, InvalidBytes::kReplace);
  EXPECT_EQ(replaced.texts, (Strings{"a\xEF\xBF\xBD\xEF\xBF\xBD"
                                     "b",
                                     "c\xEF\xBF\xBD"}));
  EXPECT_EQ(replaced.faults, (Strings{"", ""}));
  EXPECT_EQ(replaced.log.replaced, 3u);
  EXPECT_NE(lines_of("a\0b"s, 1 << 16, InvalidBytes::kReplace).faults[0], "");
  const Lines bytes = lines_of("a\xFF\0b\n"s, 1 << 16, InvalidBytes::kBytes);
  EXPECT_EQ(bytes.texts, Strings{"a\xFF\0b"s});
  EXPECT_EQ(bytes.faults, Strings{""});
}

TEST(LineSource, DetectsOtherEncodingsAndFormats) {
  const auto expect_malformed = [](std::string_view part, const std::string& bytes) {
    expect_error(ErrorCode::kMalformed, part, [&] { lines_of(bytes); });
  };
  expect_malformed("a.txt: offset 0: UTF-16 detected",
                   "\xFF\xFE"
                   "a\0"s);
  expect_malformed("UTF-16 detected", "\xFE\xFF\0a"s);
  expect_malformed("UTF-32 detected", "\xFF\xFE\0\0a\0\0\0"s);
  expect_malformed("UTF-32 detected", "\0\0\xFE\xFF\0\0\0a"s);
  expect_malformed("those of zip; expected text", "PK\x03\x04...");
  expect_malformed("those of xz", "\xFD\x37zXZ\0"s);
}

TEST(LineSource, RefusesALineAboveTheLimit) {
  const std::string longest(kLongestLine, 'x');
  EXPECT_EQ(lines_of(longest + "\ny\n", 1 << 22).texts[1], "y");
  expect_error(ErrorCode::kRefused, "a.txt:2: line of ",
               [&] { lines_of("y\n" + longest + "x\n", 1 << 22); });
  expect_error(ErrorCode::kRefused, "a.txt:1: line of ",
               [&] { lines_of(longest + longest, 1 << 22); });
}

TEST(LineSource, TellsAnEmptyFileFromOneWithoutLines) {
  const auto is_empty = [](const std::string& bytes) {
    ReadLog log;
    LineSource source(std::make_unique<MemoryStream>(bytes), {.text = "a", .number = 0},
                      InvalidBytes::kError, log);
    Line line;
    EXPECT_FALSE(source.next(line));
    EXPECT_FALSE(source.next(line));
    return source.empty();
  };
  EXPECT_TRUE(is_empty(""));
  EXPECT_FALSE(is_empty("\xEF\xBB\xBF"));
}

}  // namespace
}  // namespace sextant
