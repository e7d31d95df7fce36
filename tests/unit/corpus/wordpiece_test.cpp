// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "support/expect_error.h"
#include "support/temporary_directory.h"
#include "support/tokens.h"

namespace sextant {
namespace {

using Ids = std::vector<TokenId>;
using Tokens = std::vector<std::string>;

class WordPiece : public testing::Test {
 protected:
  std::unique_ptr<Tokenizer> from_lines(const std::string& lines) const {
    return make_tokenizer("wordpiece:" + folder_.write("vocab.txt", lines).string());
  }
  std::unique_ptr<Tokenizer> from_json(const nlohmann::json& json) const {
    return make_tokenizer("tokenizer:" + folder_.write("t.json", json.dump()).string());
  }

  TemporaryDirectory folder_;
};

constexpr char kLines[] =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\nunaff\na\n##b\n,\ne\nete\n\xe4\xb8\xad\nb\n";

TEST_F(WordPiece, TakesTheLongestPieceEachTime) {
  const auto tokenizer = from_lines(kLines);
  EXPECT_EQ(tokens_of(*tokenizer, "unaffable"), (Tokens{"unaff", "##able"}));
  EXPECT_EQ(tokens_of(*tokenizer, "UNAFF un"), (Tokens{"unaff", "un"}));
  EXPECT_EQ(tokenizer->name(), "wordpiece");
  EXPECT_EQ(tokenizer->vocabulary(), 15);
}

TEST_F(WordPiece, GivesUpOnAWordAsAWhole) {
  const auto tokenizer = from_lines(kLines);
  EXPECT_EQ(tokens_of(*tokenizer, "unaffx a"), (Tokens{"[UNK]", "a"}));
  EXPECT_EQ(tokens_of(*tokenizer, "aff"), (Tokens{"[UNK]"}));  // "##aff" only continues
}

TEST_F(WordPiece, CallsAWordOfMoreThanAHundredCharactersUnknown) {
  const auto tokenizer = from_lines(kLines);
  EXPECT_EQ(ids_of(*tokenizer, "a" + std::string(99, 'b')).size(), 100U);
  EXPECT_EQ(tokens_of(*tokenizer, "a" + std::string(100, 'b')), (Tokens{"[UNK]"}));
}

TEST_F(WordPiece, MakesPunctuationAndIdeographsWordsOfTheirOwn) {
  const auto tokenizer = from_lines(kLines);
  EXPECT_EQ(tokens_of(*tokenizer, "a,,a"), (Tokens{"a", ",", ",", "a"}));
  EXPECT_EQ(tokens_of(*tokenizer,
                      "a\xe4\xb8\xad\xe4\xb8\xad"
                      "b"),
            (Tokens{"a", "\xe4\xb8\xad", "\xe4\xb8\xad", "b"}));
  EXPECT_EQ(tokens_of(*tokenizer, "a$a"), (Tokens{"a", "[UNK]", "a"}));  // a symbol, but ASCII
}

TEST_F(WordPiece, StripsAccentsAndControlCharactersInsideWords) {
  const auto tokenizer = from_lines(kLines);
  EXPECT_EQ(tokens_of(*tokenizer, "\xc3\x89t\xc3\xa9"), (Tokens{"ete"}));
  EXPECT_EQ(tokens_of(*tokenizer, "e\xcc\x81te\xcc\x81"), (Tokens{"ete"}));
  EXPECT_EQ(tokens_of(*tokenizer,
                      "e\x01t\x7f\xe2\x80\x8b"
                      "e"),
            (Tokens{"ete"}));
  EXPECT_EQ(tokens_of(*tokenizer,
                      "a\xc2\xa0"
                      "b\xe3\x80\x80"
                      "a"),
            (Tokens{"a", "b", "a"}));
}

TEST_F(WordPiece, FindsSpecialTokensInTheRawText) {
  const auto tokenizer = from_lines(kLines);
  EXPECT_EQ(tokens_of(*tokenizer, "a[SEP]b [UNK] [sep]"),
            (Tokens{"a", "[SEP]", "b", "[UNK]", "[UNK]", "[UNK]", "[UNK]"}));
  const SpecialTokens specials = tokenizer->specials();
  EXPECT_EQ(specials.start, 2U);
  EXPECT_EQ(specials.end, 3U);
  EXPECT_EQ(specials.padding, 0U);
}

TEST_F(WordPiece, KeepsCapitalsWhereTheVocabularyHasThem) {
  const auto tokenizer = from_lines("[UNK]\nA\na\n\xc3\xa9\n");
  EXPECT_EQ(tokens_of(*tokenizer, "A a \xc3\xa9"), (Tokens{"A", "a", "\xc3\xa9"}));
  EXPECT_EQ(tokenizer->notes(), (Tokens{"vocabulary: cased, since tokens have capitals"}));
}

TEST_F(WordPiece, StopsAtTheNumberAskedFor) {
  const auto tokenizer = from_lines(kLines);
  const std::string text = "unaffable, \xc3\xa9te [SEP] a\xe4\xb8\xad\xe4\xb8\xad b";
  const Ids all = ids_of(*tokenizer, text);
  ASSERT_EQ(all.size(), 9U);
  for (std::size_t most = 0; most <= all.size() + 1; ++most) {
    const std::size_t size = std::min(most, all.size());
    EXPECT_EQ(ids_of(*tokenizer, text, static_cast<Index>(most)),
              Ids(all.begin(), all.begin() + std::ptrdiff_t(size)));
  }
}

TEST_F(WordPiece, GivesTheSameIdsFromAWarmSession) {
  const auto tokenizer = from_lines(kLines);
  const auto warm = tokenizer->session();
  std::mt19937_64 rng(20240607);
  const std::string letters = "aabbun,e \xc3\xa9";
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 30; ++i) {
      const std::size_t pick = rng() % 10;
      text += pick == 9 ? "\xc3\xa9" : std::string(1, letters[pick]);
    }
    ASSERT_EQ(ids_of(*warm, text), ids_of(*tokenizer, text)) << text;
    ASSERT_EQ(ids_of(*warm, text + " a"), [&] {
      Ids ids = ids_of(*warm, text);
      ids.push_back(8);
      return ids;
    }());
  }
}

TEST_F(WordPiece, SaysWhatItStrippedFromAVocabulary) {
  const auto tokenizer = from_lines("\xef\xbb\xbf[UNK]\r\na\r\n\r\nb");
  EXPECT_EQ(ids_of(*tokenizer, "a b"), (Ids{1, 3}));
  const std::string notes = testing::PrintToString(tokenizer->notes());
  for (const std::string part : {"byte order mark", "3 CRLF", "1 blank"})
    EXPECT_NE(notes.find(part), notes.npos) << notes;
}

TEST_F(WordPiece, RefusesABadVocabulary) {
  expect_error(ErrorCode::kMalformed, "vocab.txt: empty", [&] { from_lines(""); });
  expect_error(ErrorCode::kMalformed, "vocab.txt:3: the token 'a' is also on line 1",
               [&] { from_lines("a\nb\na\n"); });
  expect_error(ErrorCode::kMalformed, "vocab.txt:2:2: the token is not UTF-8",
               [&] { from_lines("a\nb\xff\n"); });
  expect_error(ErrorCode::kMalformed, "vocab.txt:2: the token has 1025 bytes",
               [&] { from_lines("a\n" + std::string(1025, 'x') + "\n"); });
}

TEST_F(WordPiece, AsksForAnUnknownTokenOnlyWhenItNeedsOne) {
  const auto tokenizer = from_lines("a\n");
  EXPECT_EQ(ids_of(*tokenizer, "a a"), (Ids{0, 0}));
  expect_error(ErrorCode::kMalformed, "'zz' (offset 2 of the text)",
               [&] { ids_of(*tokenizer, "a zz"); });
}

TEST_F(WordPiece, ReadsTheSameFromJson) {
  nlohmann::json json = wordpiece_json({"[UNK]", "a", "##b", "[X]", "\xc3\xa9"});
  json["added_tokens"] = {{{"id", 3}, {"content", "[X]"}, {"normalized", false}, {"rstrip", true}}};
  json["truncation"] = {{"max_length", 2}};
  auto tokenizer = from_json(json);
  EXPECT_EQ(ids_of(*tokenizer, "Abb[X]  \ta"), (Ids{1, 2, 2, 3, 1}));
  EXPECT_EQ(tokenizer->notes(), (Tokens{"tokenizer.json: truncation is ignored"}));
  EXPECT_EQ(ids_of(*tokenizer, "\xc3\xa9"), (Ids{0}));  // its accent is gone
  json["normalizer"]["strip_accents"] = false;
  EXPECT_EQ(ids_of(*from_json(json), "\xc3\xa9"), (Ids{4}));
}

TEST_F(WordPiece, FindsNormalizedAddedTokensInNormalizedText) {
  nlohmann::json json = wordpiece_json({"[UNK]", "a", "Foo B"});
  json["added_tokens"] = {{{"id", 2}, {"content", "Foo B"}, {"normalized", true}}};
  EXPECT_EQ(ids_of(*from_json(json), "a f\xc3\xb3o b a"), (Ids{1, 2, 1}));
}

TEST_F(WordPiece, KeepsADottedCapitalIAsTwoCharactersWithoutStripping) {
  nlohmann::json json = wordpiece_json({"[UNK]", "i\xcc\x87", "i"});
  EXPECT_EQ(ids_of(*from_json(json), "\xc4\xb0"), (Ids{2}));
  json["normalizer"]["strip_accents"] = false;
  EXPECT_EQ(ids_of(*from_json(json), "\xc4\xb0"), (Ids{1}));
}

}  // namespace
}  // namespace sextant
