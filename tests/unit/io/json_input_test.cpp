// SPDX-License-Identifier: Apache-2.0
#include "io/json_input.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

void refuses(const std::string& text, std::string_view part,
             ErrorCode code = ErrorCode::kMalformed) {
  expect_error(code, part, [&] { parse_json(text, "f"); });
}

TEST(ParseJson, NamesLineAndColumnOfBadSyntax) {
  refuses("{\"a\": 1,\n  \"b\": x}", "f:2:8: bad JSON");
  refuses("", "f:1:1: bad JSON");
  refuses("[1] 2", "f:1:5: bad JSON");
  refuses("\"\xff\"", "bad JSON");
  refuses("\"\\ud800\"", "bad JSON");
  refuses("1e999", "bad JSON");
}

TEST(ParseJson, RefusesARepeatedKeyHoweverItIsSpelt) {
  refuses(R"({"x":{"a":1,"\u0061":2}})", "f: /x/a: the key is repeated");
  refuses(R"([0,{"a/~":1,"b":2,"a/~":3}])", "f: /1/a~1~0: the key is repeated");
  EXPECT_EQ(parse_json(R"([{"a":1},{"a":2}])", "f").size(), 2U);
}

TEST(ParseJson, RefusesDeepNesting) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  parse_json(nested(kMostJsonDepth), "f");
  refuses(nested(kMostJsonDepth + 1), "nested deeper than 64");
  refuses(nested(1000000), "nested deeper than 64");
}

TEST(ParseJson, RefusesTooManyValues) {
  std::string text = "[0";
  for (std::size_t i = 0; i < kMostJsonValues; ++i) text += ",0";
  refuses(text + "]", "holds more than", ErrorCode::kRefused);
}

TEST(ReadJson, RefusesALargeFile) {
  const TemporaryDirectory folder;
  const auto path = folder.write("a.json", "[1]");
  EXPECT_EQ(read_json(path, 3).size(), 1U);
  expect_error(ErrorCode::kRefused, "has 3 bytes, above the limit of 2",
               [&] { read_json(path, 2); });
}

TEST(JsonNode, NamesTheValueThatIsWrong) {
  const JsonInput document =
      parse_json(R"({"a":[1,{"b":"x"}],"c":null,"d":18446744073709551615})", "f");
  const std::string name = "f";
  const JsonNode root(document, name);
  EXPECT_EQ(root.at("a").at(1).at("b").text(), "x");
  EXPECT_FALSE(root.find("c"));
  EXPECT_TRUE(root.flag_or("c", true));
  EXPECT_EQ(root.at("a").at(0).integer(), 1);
  EXPECT_EQ(root.at("a").at(0).count(), 1U);
  EXPECT_EQ(root.at("d").count(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_TRUE(root.members().at(1).second.is_null());
  const auto wrong = [&](const char* part, const auto& call) {
    expect_error(ErrorCode::kMalformed, part, call);
  };
  wrong("f: /a/1/b: must be an integer but is string",
        [&] { root.at("a").at(1).at("b").integer(); });
  wrong("f: /a/0: must be a string but is number", [&] { root.at("a").at(0).text(); });
  wrong("f: /a/1: 'z' is missing", [&] { root.at("a").at(1).at("z"); });
  wrong("f: document: 'c' is missing", [&] { root.at("c"); });
  wrong("f: /d: must fit 63 bits", [&] { root.at("d").integer(); });
  wrong("f: /a: must be an integer", [&] { root.at("a").count(); });
  wrong("f: document: must be an array", [&] { root.size(); });
  wrong("f: /a: must be true or false", [&] { root.flag_or("a", true); });
}

}  // namespace
}  // namespace sextant
