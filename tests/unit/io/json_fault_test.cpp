// SPDX-License-Identifier: Apache-2.0
#include "io/json_fault.h"

#include <gtest/gtest.h>

namespace sextant {
namespace {

TEST(JsonFault, IsAbsentFromJson) {
  for (const char* text : {"{}", "[1, 2.5e3, \"a\\u00e4\", null]", " true ", "\"\""})
    EXPECT_FALSE(first_json_fault(text)) << text;
}

TEST(JsonFault, HasTheColumnOfTheFirstWrongByte) {
  EXPECT_EQ(first_json_fault("{\"a\": x}")->column, 7u);
  EXPECT_EQ(first_json_fault("[1 2]")->column, 4u);
  EXPECT_EQ(first_json_fault("{} {}")->column, 4u);
}

TEST(JsonFault, LiesBehindATextThatEndsTooEarly) {
  const std::string whole = R"({"text": "ab\u00e4", "n": [12, true, null]})";
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(first_json_fault(whole.substr(0, size))->column, size + 1) << size;
}

TEST(JsonFault, SaysWhatIsWrongInOneLine) {
  EXPECT_EQ(first_json_fault("[1e999]")->what, "number overflow parsing '1e999'");
  EXPECT_EQ(first_json_fault("[nul]")->what, "syntax error while parsing value - invalid literal");
}

}  // namespace
}  // namespace sextant
