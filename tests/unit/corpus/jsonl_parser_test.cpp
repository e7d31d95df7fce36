// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/read_records.h"

namespace sextant {
namespace {

void expect_malformed_lines(std::string_view part, std::string_view content,
                            const RecordOptions& options = {}) {
  expect_error(ErrorCode::kMalformed, part, [&] { read_text("a.jsonl", content, options); });
}

TEST(Jsonl, TakesAFieldOfEveryObject) {
  const AllRecords all = read_text("a.jsonl",
                                   "{\"text\": \"one\"}\n {\"n\": [1, {}], \"text\": \"\"} \r\n"
                                   "{\"text\":\"\\u00e4\\n\\ud83d\\ude00\"}");
  EXPECT_EQ(all.texts, (Strings{"one", "", "\xC3\xA4\n\xF0\x9F\x98\x80"}));
  EXPECT_EQ(all.places, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(read_text("a.ndjson", R"({"body": "x", "text": 1})", {.text_field = "body"}).texts,
            Strings{"x"});
}

TEST(Jsonl, TakesGroupsThatAreStringsOrIntegers) {
  const AllRecords all = read_text("a.jsonl",
                                   "{\"text\":\"a\",\"id\":\"x y\"}\n{\"text\":\"b\",\"id\":-7}\n"
                                   "{\"text\":\"c\",\"id\":9223372036854775808}\n",
                                   {.group_column = "id"});
  EXPECT_EQ(all.groups, (Strings{"x y", "-7", "9223372036854775808"}));
  for (const std::string value : {"1.5", "null", "true", "[1]", "1e3"}) {
    expect_malformed_lines("a.jsonl:1: field 'id' is ", "{\"text\":\"a\",\"id\":" + value + "}\n",
                           {.group_column = "id"});
  }
  expect_malformed_lines("no field 'id'", "{\"text\":\"a\"}", {.group_column = "id"});
}

TEST(Jsonl, SkipsAndCountsBlankLines) {
  const AllRecords all = read_text("a.jsonl", "\n{\"text\":\"a\"}\n  \n\n");
  EXPECT_EQ(all.texts, Strings{"a"});
  EXPECT_EQ(all.notes, Strings{"3 blank lines skipped"});
}

TEST(Jsonl, NamesLineAndColumnOfBadJson) {
  expect_malformed_lines("a.jsonl:2:10: syntax error", "{\"text\":\"a\"}\n{\"text\": x}\n");
  expect_malformed_lines("a.jsonl:1:14: ", "{\"text\":\"a\"} {\"text\":\"b\"}\n");
  expect_malformed_lines("a.jsonl:1:13: ", "{\"text\":\"a\"}]\n");
  expect_malformed_lines("a.jsonl:1:", "{'text': 1}\n");
  expect_malformed_lines("a.jsonl:1:", "{\"text\":\"a\",}\n");
  expect_malformed_lines("a.jsonl:1:", "{\"text\":\"tab\there\"}\n");
}

TEST(Jsonl, CallsACutRecordTruncated) {
  const std::string whole = R"({"text": "ab\u00e4", "n": [12, true]})";
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const std::string where = "a.jsonl:2:" + std::to_string(size + 1) + ": truncated record";
    expect_malformed_lines(where, "{\"text\":\"a\"}\n" + whole.substr(0, size));
  }
}

TEST(Jsonl, AllowsSixtyFourLevels) {
  const auto nested = [](std::size_t levels) {  // the object itself is one of them
    return "{\"text\":\"a\",\"x\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') +
           "}\n";
  };
  EXPECT_EQ(read_text("a.jsonl", nested(64)).texts, Strings{"a"});
  expect_malformed_lines("a.jsonl:1: nested deeper than 64", nested(65));
  expect_malformed_lines("nested deeper than 64", nested(1'000'000));
}

TEST(Jsonl, RejectsEqualKeysAtEveryLevel) {
  expect_malformed_lines("a.jsonl:1: key 'text' twice", R"({"text":"a","text":"a"})");
  expect_malformed_lines("key 'text' twice", R"({"text":"a","te\u0078t":"b"})");
  expect_malformed_lines("key 'x' twice", R"({"text":"a","n":[{"x":1,"y":2,"x":3}]})");
  EXPECT_EQ(read_text("a.jsonl", R"({"text":"a","n":{"text":"b"}})").texts, Strings{"a"});
}

TEST(Jsonl, NamesAMissingOrMistypedField) {
  expect_malformed_lines("a.jsonl:1: no field 'text'", "{\"Text\":\"a\"}\n");
  expect_malformed_lines("field 'text' is a number; expected a string", "{\"text\":1}\n");
  expect_malformed_lines("field 'text' is null", "{\"text\":null}\n");
  expect_malformed_lines("the record is an array; expected an object", "[\"text\"]\n");
  expect_malformed_lines("the record is a string", "\"text\"\n");
}

TEST(Jsonl, RejectsLoneSurrogates) {
  for (const std::string escape :
       {"\\ud800", "\\udc00", "\\ud800\\ud800", "\\udc00\\ud800", "\\ud83dx"}) {
    expect_malformed_lines("a.jsonl:1", "{\"text\":\"" + escape + "\"}\n");
    expect_malformed_lines("a.jsonl:1", "{\"text\":\"a\",\"" + escape + "\":1}\n");
    expect_malformed_lines("a.jsonl:1", "{\"text\":\"a\",\"b\":[\"" + escape + "\"]}\n");
  }
}

TEST(Jsonl, RejectsNumbersOutOfRange) {
  expect_malformed_lines("a.jsonl:1:21: number overflow", R"({"text":"a","n":1e999})");
  expect_malformed_lines("a.jsonl:1:", R"({"text":"a","n":18446744073709551616})");
  expect_malformed_lines("a.jsonl:1:", R"({"text":"a","n":01})");
}

TEST(Jsonl, RejectsNullCharactersUnlessBytesAreAskedFor) {
  const std::string record = R"({"text":"a\u0000b"})";
  expect_malformed_lines("field 'text' has a NUL", record);
  const AllRecords bytes = read_text("a.jsonl", record, {.invalid = InvalidBytes::kBytes});
  EXPECT_EQ(bytes.texts, Strings{std::string("a\0b", 3)});
}

TEST(Jsonl, RejectsOrReplacesInvalidUtf8) {
  const std::string record = "{\"text\":\"a\xFF\"}\n";
  expect_malformed_lines("a.jsonl:1: invalid UTF-8 at offset 10", record);
  expect_malformed_lines("a.jsonl:1:", record, {.invalid = InvalidBytes::kBytes});
  EXPECT_EQ(read_text("a.jsonl", record, {.invalid = InvalidBytes::kReplace}).texts,
            Strings{"a\xEF\xBF\xBD"});
}

}  // namespace
}  // namespace sextant
