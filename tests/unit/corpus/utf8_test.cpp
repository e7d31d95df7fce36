// SPDX-License-Identifier: Apache-2.0
#include "corpus/utf8.h"

#include <gtest/gtest.h>

namespace sextant {
namespace {

// The bytes of a number by the scheme of UTF-8 in `size` bytes, whether allowed or not.
std::string scheme(unsigned long number, int size) {
  if (size == 1) return {static_cast<char>(number)};
  std::string bytes;
  for (int i = 0; i < size - 1; ++i) {
    bytes.insert(bytes.begin(), static_cast<char>(0x80 | (number & 0x3F)));
    number >>= 6;
  }
  const unsigned long lead = (0xF00UL >> size & 0xFFUL) | number;
  bytes.insert(bytes.begin(), static_cast<char>(lead));
  return bytes;
}

int shortest_size(unsigned long number) {
  return number < 0x80 ? 1 : number < 0x800 ? 2 : number < 0x10000 ? 3 : 4;
}

TEST(Utf8, IsExactlyTheShortestFormsOfScalarValues) {
  for (unsigned long number = 0; number < 0x200000; number += number < 0x12000 ? 1 : 251) {
    for (int size = shortest_size(number); size <= 4; ++size) {
      const bool scalar = number <= 0x10FFFF && (number < 0xD800 || number > 0xDFFF);
      const bool valid = scalar && size == shortest_size(number);
      const std::string bytes = scheme(number, size);
      ASSERT_EQ(!first_utf8_fault(bytes), valid) << std::hex << number << " in " << size;
      ASSERT_EQ(is_utf8(bytes), valid) << std::hex << number << " in " << size;
    }
  }
}

TEST(Utf8, AgreesWithTheFastCheckOnAllShortStrings) {
  const std::string kinds = "a\x80\x9F\xA0\xBF\xC1\xC2\xE0\xE1\xED\xEF\xF0\xF1\xF4\xF5\xFF";
  for (std::size_t code = 0; code < std::size_t{16} * 16 * 16 * 16; ++code) {
    std::string text;
    for (std::size_t rest = code, i = 0; i < 4; ++i, rest /= 16) text += kinds[rest % 16];
    ASSERT_EQ(!first_utf8_fault(text), is_utf8(text)) << code;
  }
}

TEST(Utf8, SaysWhatIsWrongAndWhere) {
  const auto fault = [](std::string_view text) {
    const auto found = first_utf8_fault(text);
    return found ? std::to_string(found->at) + " " + std::string(found->what) : "none";
  };
  EXPECT_EQ(fault("0123456789\x80"), "10 continuation byte without a lead");
  EXPECT_EQ(fault("ab\xC0\x80"), "2 overlong form");
  EXPECT_EQ(fault("\xE0\x9F\xBF"), "0 overlong form");
  EXPECT_EQ(fault("\xF0\x8F\xBF\xBF"), "0 overlong form");
  EXPECT_EQ(fault("\xC3\xA4\xED\xA0\x80"), "2 surrogate");
  EXPECT_EQ(fault("\xF4\x90\x80\x80"), "0 above U+10FFFF");
  EXPECT_EQ(fault("\xF5"), "0 above U+10FFFF");
  EXPECT_EQ(fault("\xFF"), "0 byte that UTF-8 never uses");
  EXPECT_EQ(fault("abc\xE2\x82"), "3 truncated sequence");
  EXPECT_EQ(fault("\xE2\x82x"), "0 truncated sequence");
}

// The example of the Unicode Standard, section 3.9, table 3-8 ("U+FFFD for ...").
TEST(Utf8, ReplacesMaximalSubparts) {
  std::string result;
  EXPECT_EQ(append_replaced("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41", result), 8u);
  std::string expected;
  for (int i = 0; i < 8; ++i) expected += "\xEF\xBF\xBD";
  EXPECT_EQ(result, expected + "A");
  result.clear();
  EXPECT_EQ(append_replaced("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", result), 4u);
  EXPECT_EQ(result,
            "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
            "A");
}

TEST(Utf8, KnowsBlanks) {
  for (const char* text : {"", " \t\v\f\r\n", "\xC2\xA0", "\xE2\x80\xA8\xE3\x80\x80 ", "\xC2\x85"})
    EXPECT_TRUE(is_blank(text)) << text;
  for (const char* text : {"a", " a", "\xE2\x80\x8B" /* zero width */, "\x1C", "\xC2\xA1"})
    EXPECT_FALSE(is_blank(text)) << text;
}

}  // namespace
}  // namespace sextant
