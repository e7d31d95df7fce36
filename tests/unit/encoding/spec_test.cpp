// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sextant/registry.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

TEST(EncodingSpec, ParsesAndPrintsBack) {
  for (const char* text :
       {"rope", "rope(base=500000)", "rope(base=500000,scaling=llama3)+alibi(heads=12)",
        "table:a/b.npy", "table:model.safetensors#wpe.weight", "table(file=a.npy,beyond=clamp)",
        "rope(short_factor=1:2:3)", "table(file=\"a,(b).npy\",beyond=clamp)", "table:\"a+b.npy\"",
        "a+b+c"})
    EXPECT_EQ(EncodingSpec::parse(text).text(), text);
}

TEST(EncodingSpec, IgnoresBlanksAroundTokens) {
  EXPECT_EQ(EncodingSpec::parse(" rope ( base = 1e6 , pairing=half ) + alibi ").text(),
            "rope(base=1e6,pairing=half)+alibi");
  EXPECT_EQ(EncodingSpec::parse("rope()").text(), "rope");
}

TEST(EncodingSpec, ExponentsMayHaveASign) {
  EXPECT_EQ(EncodingSpec::parse("rope(base=1e+6)+alibi").terms.size(), 2u);
}

TEST(EncodingSpec, ErrorsNameTheCharacter) {
  const auto expect = [](const char* text, const char* message) {
    expect_error(ErrorCode::kUsage, message, [&] { EncodingSpec::parse(text); });
  };
  expect("", "character 1: expected the name of an encoding but the text ends");
  expect("rope(base", "character 10: expected '=' but the text ends");
  expect("rope(base=", "character 11: expected a value but the text ends");
  expect("rope(base=3", "character 12: expected ',' or ')' but the text ends");
  expect("rope(base=3))", "character 13: expected '+', '(' or the end but found ')'");
  expect("rope(=3)", "character 6: expected a parameter's name but found '='");
  expect("rope+", "character 6: expected the name of an encoding");
  expect("Rope", "character 1: expected the name of an encoding but found 'R'");
  expect("table:\"a", "character 9: expected a closing '\"'");
}

TEST(EncodingSpec, HasAtMostSixtyFourTerms) {
  std::string text = "alibi";
  for (int i = 1; i < 64; ++i) text += "+alibi";
  EXPECT_EQ(EncodingSpec::parse(text).terms.size(), 64u);
  expect_error(ErrorCode::kUsage, "expected at most 64 terms",
               [&] { EncodingSpec::parse(text + "+alibi"); });
}

}  // namespace
}  // namespace sextant
