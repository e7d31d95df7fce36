// SPDX-License-Identifier: Apache-2.0
#define PCRE2_CODE_UNIT_WIDTH 8
#include <gtest/gtest.h>
#include <pcre2.h>

#include <algorithm>
#include <random>

#include "corpus/tokenizers/byte_level.h"
#include "corpus/tokenizers/merge_table.h"
#include "corpus/tokenizers/unicode.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"
#include "support/tokens.h"

namespace sextant {
namespace {

using Ids = std::vector<TokenId>;
using Tokens = std::vector<std::string>;
using Json = nlohmann::json;

class Bpe : public testing::Test {
 protected:
  std::unique_ptr<Tokenizer> from_json(const Json& json) const {
    return make_tokenizer("tokenizer:" + folder_.write("t.json", json.dump()).string());
  }
  TemporaryDirectory folder_;
};

// The merges in the order of the file, each applied from the left wherever it can be: the
// definition, in quadratic time.
Ids merged_plainly(Ids symbols, const std::vector<std::array<TokenId, 3>>& merges) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [left, right, token] : merges) {
      for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
        if (symbols[i] != left || symbols[i + 1] != right) continue;
        symbols[i] = token;
        symbols.erase(symbols.begin() + std::ptrdiff_t(i) + 1);
        changed = true;
      }
      if (changed) break;
    }
  }
  return symbols;
}

TEST(Merger, AgreesWithTheDefinitionOnWordsOfAnyLength) {
  std::mt19937_64 rng(20240607);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::array<TokenId, 3>> merges;
    MergeTable table(12);
    TokenId next = 3;
    for (int i = 0; i < 12; ++i) {
      const auto left = static_cast<TokenId>(rng() % next);
      const auto right = static_cast<TokenId>(rng() % next);
      if (!table.add(left, right, next)) continue;
      merges.push_back({left, right, next});
      ++next;
    }
    Ids symbols(1 + rng() % 60);
    for (TokenId& symbol : symbols) symbol = static_cast<TokenId>(rng() % 3);
    const Ids expected = merged_plainly(symbols, merges);
    Merger merger(table);
    merger.merge(symbols);
    ASSERT_EQ(symbols, expected) << "round " << round;
  }
}

TEST(Merger, TakesAMillionSymbolsInItsStride) {
  MergeTable table(20);
  for (TokenId i = 0; i < 20; ++i) ASSERT_TRUE(table.add(i, i, i + 1));
  Ids symbols(std::size_t{1} << 20, 0);
  Merger(table).merge(symbols);
  EXPECT_EQ(symbols, (Ids{20}));
}

TEST_F(Bpe, MergesByRankNotByPlace) {
  const auto tokenizer = from_json(byte_level_json({"b c", "a b", "ab c"}));
  EXPECT_EQ(tokens_of(*tokenizer, "abc"), (Tokens{"a", "bc"}));
  EXPECT_EQ(tokens_of(*tokenizer, "abab"), (Tokens{"ab", "ab"}));
  EXPECT_EQ(tokenizer->name(), "bpe");
}

TEST_F(Bpe, NeverMergesAcrossWords) {
  const auto tokenizer = from_json(byte_level_json({"a b", "\xc4\xa0 a"}));  // U+0120: the blank
  EXPECT_EQ(tokens_of(*tokenizer, "ab a1"), (Tokens{"ab",
                                                    "\xc4\xa0"
                                                    "a",
                                                    "1"}));
}

TEST_F(Bpe, HasATokenForEveryByte) {
  const auto tokenizer = from_json(byte_level_json({}));
  EXPECT_EQ(ids_of(*tokenizer, "\xc3\xa9 \n"), (Ids{0xc3, 0xa9, 0x20, 0x0a}));
}

TEST_F(Bpe, PrefixesABlankWhenAsked) {
  Json json = byte_level_json({});
  json["pre_tokenizer"]["add_prefix_space"] = true;
  json["added_tokens"] = {{{"id", 256}, {"content", "<x>"}, {"normalized", true}}};
  const auto tokenizer = from_json(json);
  EXPECT_EQ(ids_of(*tokenizer, "a<x> b<x>"), (Ids{32, 97, 256, 32, 98, 256}));
  EXPECT_EQ(ids_of(*tokenizer, ""), (Ids{}));
}

TEST_F(Bpe, TakesWholeWordsFirstWhenMergesAreIgnored) {
  Json json = byte_level_json({"a b", "b c", "a bc"});
  EXPECT_EQ(tokens_of(*from_json(json), "abc"), (Tokens{"ab", "c"}));
  json["model"]["ignore_merges"] = true;
  EXPECT_EQ(tokens_of(*from_json(json), "abc"), (Tokens{"abc"}));
}

TEST_F(Bpe, SplitsByARegularExpression) {
  Json json = byte_level_json({"a a", "1 1"});
  json["pre_tokenizer"] = Json::parse(R"({"type":"Sequence","pretokenizers":[
      {"type":"Split","pattern":{"Regex":"\\p{N}{1,3}|[^\\s\\p{N}]+|\\s+(?!\\S)|\\s+"},
       "behavior":"Isolated","invert":false},
      {"type":"ByteLevel","add_prefix_space":false,"use_regex":false}]})");
  const auto tokenizer = from_json(json);
  EXPECT_EQ(tokens_of(*tokenizer, "1111aa"), (Tokens{"11", "1", "1", "aa"}));
  const std::string text = "11 aa\xe1\xa0\x8e  a";  // U+180E is no white space
  EXPECT_EQ(ids_of(*tokenizer, text, 3), (Ids{257, 32, 256}));
}

TEST_F(Bpe, StopsAtTheNumberAskedForAndForgetsNothing) {
  const auto tokenizer = from_json(byte_level_json({"a b", "ab ab"}));
  const std::string text = "abab aab it's \xc3\xa9t\xc3\xa9  !!";
  const Ids all = ids_of(*tokenizer, text);
  const auto warm = tokenizer->session();
  for (std::size_t most = 0; most <= all.size() + 1; ++most)
    EXPECT_EQ(ids_of(*warm, text, static_cast<Index>(most)),
              Ids(all.begin(), all.begin() + std::ptrdiff_t(std::min(most, all.size()))));
}

TEST_F(Bpe, CutsALongWordInGoodTime) {
  const auto tokenizer = from_json(byte_level_json({"a b", "ab ab", "abab abab"}));
  std::string text;
  for (int i = 0; i < (1 << 17); ++i) text += "abababab";
  EXPECT_EQ(ids_of(*tokenizer, text), Ids(std::size_t{1} << 17, 258));
}

TEST(Gpt2Words, AreThoseOfTheRegularExpression) {
  constexpr char kPattern[] =
      "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
  int error = 0;
  PCRE2_SIZE at_fault = 0;
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(kPattern), PCRE2_ZERO_TERMINATED,
                                   PCRE2_UTF | PCRE2_UCP, &error, &at_fault, nullptr);
  ASSERT_NE(code, nullptr);
  pcre2_match_data* data = pcre2_match_data_create(8, nullptr);
  const std::vector<std::string> parts = {"a",
                                          "Zz",
                                          "'",
                                          "s",
                                          "t",
                                          "re",
                                          "ve",
                                          "ll",
                                          "'d",
                                          " ",
                                          "  ",
                                          "\n",
                                          "\t",
                                          "1",
                                          "\xc2\xb2",
                                          "\xc3\xa9",
                                          "\xe4\xb8\xad",
                                          "\xc2\xa0",
                                          "!",
                                          "...",
                                          "_",
                                          "-",
                                          "\r",
                                          "\v",
                                          "\xcc\x81",
                                          "\xd9\xa1",
                                          "\xe3\x80\x80",
                                          "\xf0\x9f\x98\x80"};
  std::mt19937_64 rng(20240607);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    const std::size_t count = 1 + rng() % 12;
    for (std::size_t i = 0; i < count; ++i) text += parts[rng() % parts.size()];
    for (std::size_t at = 0; at < text.size();) {
      ASSERT_GT(pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), at, 0,
                            data, nullptr),
                0);
      const PCRE2_SIZE* place = pcre2_get_ovector_pointer(data);
      ASSERT_EQ(place[0], at);
      ASSERT_EQ(gpt2_word_end(text, at), place[1]) << testing::PrintToString(text) << " at " << at;
      at = place[1];
    }
  }
  pcre2_match_data_free(data);
  pcre2_code_free(code);
}

TEST_F(Bpe, ReadsTheFilesOfGpt2) {
  const Json json = byte_level_json({"a b", "ab c"});
  folder_.write("encoder.json", json["model"]["vocab"].dump());
  folder_.write("vocab.bpe", "#version: 0.2\na b\nab c\n");
  const auto tokenizer = make_tokenizer("gpt2:" + folder_.path().string());
  EXPECT_EQ(tokens_of(*tokenizer, "abcab"), (Tokens{"abc", "ab"}));
  const auto bad = [&](const std::string& merges) {
    folder_.write("vocab.bpe", merges);
    make_tokenizer("gpt2:" + folder_.path().string());
  };
  expect_error(ErrorCode::kMalformed, "vocab.bpe:2: a merge must be two",
               [&] { bad("a b\nab\n"); });
  expect_error(ErrorCode::kMalformed, "vocab.bpe:3: the merge of 'a' and 'b' is there twice",
               [&] { bad("#version: 0.2\na b\na b\n"); });
  expect_error(ErrorCode::kMalformed, "vocab.bpe:1: the merge needs the token 'bc'",
               [&] { bad("b c\n"); });
  std::filesystem::remove(folder_ / "vocab.bpe");
  expect_error(ErrorCode::kUnreadable, "holds neither merges.txt nor vocab.bpe",
               [&] { make_tokenizer("gpt2:" + folder_.path().string()); });
}

}  // namespace
}  // namespace sextant
