// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

#include "support/expect_error.h"
#include "support/tokens.h"

namespace sextant {
namespace {

using Ids = std::vector<TokenId>;

TEST(Words, AreLowerCasedAndSplitAtWhiteSpace) {
  const auto words = make_tokenizer("words");
  EXPECT_EQ(ids_of(*words, "The cat  the\tCAT\nsat."), (Ids{0, 1, 0, 1, 2}));
  EXPECT_EQ(words->vocabulary(), 3);
  EXPECT_EQ(words->text(0), "the");
  EXPECT_EQ(words->text(2), "sat.");
  EXPECT_EQ(words->name(), "words");
}

TEST(Words, SplitAtEveryCharacterWithThePropertyWhiteSpace) {
  const auto words = make_tokenizer("words");
  const std::vector<std::string> blanks = {"\t",           "\n",           "\v",
                                           "\f",           "\r",           " ",
                                           "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80",
                                           "\xe2\x80\x80", "\xe2\x80\x8a", "\xe2\x80\xa8",
                                           "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f",
                                           "\xe3\x80\x80"};
  for (const std::string& blank : blanks)
    EXPECT_EQ(tokens_of(*words, "a" + blank + blank + "b" + blank),
              (std::vector<std::string>{"a", "b"}))
        << testing::PrintToString(blank);
  // Neither of these has the property: file separator, zero width space, vowel separator.
  for (const std::string letter : {"\x1c", "\xe2\x80\x8b", "\xe1\xa0\x8e"})
    EXPECT_EQ(tokens_of(*words, "a" + letter + "b").size(), 1U) << testing::PrintToString(letter);
}

TEST(Words, TakeTheSimpleLowerCaseOfEachCharacter) {
  const auto words = make_tokenizer("words");
  EXPECT_EQ(tokens_of(*words, "\xc3\x89T\xc3\x89"),
            (std::vector<std::string>{"\xc3\xa9t\xc3\xa9"}));
  EXPECT_EQ(ids_of(*words, "\xce\x91\xce\x92"), ids_of(*words, "\xce\xb1\xce\xb2"));
}

TEST(Words, OfEveryLengthAreKeptApart) {
  const auto words = make_tokenizer("words");
  std::set<TokenId> seen;
  for (std::size_t size = 1; size <= 40; ++size) {
    const std::string word(size, 'q');
    const Ids ids = ids_of(*words, word + " " + word + "\x01 " + word);
    ASSERT_EQ(ids.size(), 3U);
    EXPECT_EQ(ids[0], ids[2]);
    EXPECT_NE(ids[0], ids[1]);
    EXPECT_EQ(words->text(ids[0]), word);
    seen.insert(ids.begin(), ids.end());
  }
  EXPECT_EQ(seen.size(), 80U);
}

TEST(Words, StopAtTheNumberAskedFor) {
  const auto words = make_tokenizer("words");
  const std::string text = "a b \xc3\xa9 c d";
  const Ids all = ids_of(*words, text);
  for (Index most = 0; most <= 6; ++most) {
    const auto size = static_cast<std::size_t>(std::min<Index>(most, 5));
    EXPECT_EQ(ids_of(*words, text, most), Ids(all.begin(), all.begin() + std::ptrdiff_t(size)));
  }
}

TEST(Words, HaveCanonicalIdsInTheOrderOfTheirBytes) {
  const auto words = make_tokenizer("words");
  ids_of(*words, "pear apple zebra fig");
  EXPECT_EQ(words->canonical_ids(), (Ids{2, 0, 3, 1}));
}

TEST(Words, GetTheSameCanonicalIdsFromAnyNumberOfThreads) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "w" + std::to_string(i * 7919 % 5003) + " ";
  const auto one = make_tokenizer("words"), many = make_tokenizer("words");
  const Ids first = ids_of(*one, text);
  std::vector<Ids> found(4);
  std::vector<std::thread> threads;
  for (Ids& ids : found) threads.emplace_back([&] { ids = ids_of(*many, text); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(many->vocabulary(), 5003);
  const Ids expected = one->canonical_ids(), names = many->canonical_ids();
  for (const Ids& ids : found) {
    ASSERT_EQ(ids.size(), first.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
      ASSERT_EQ(names[ids[i]], expected[first[i]]) << "word " << i;
  }
}

TEST(Words, AreRestoredWithTheirIds) {
  const auto words = make_tokenizer("words");
  ids_of(*words, "to be or not to be");
  const auto again = make_tokenizer("words");
  const std::vector<std::string> learned = words->learned_tokens();
  EXPECT_EQ(learned, (std::vector<std::string>{"to", "be", "or", "not"}));
  again->restore(learned);
  EXPECT_EQ(ids_of(*again, "not new or"), (Ids{3, 4, 2}));
  expect_error(ErrorCode::kInternal, "restored after", [&] { again->restore(learned); });
  const std::vector<std::string> twice = {"a", "a"};
  expect_error(ErrorCode::kCheckpoint, "id 1", [&] { make_tokenizer("words")->restore(twice); });
}

TEST(Bytes, AreTheirOwnIds) {
  const auto bytes = make_tokenizer("bytes");
  EXPECT_EQ(ids_of(*bytes, std::string("a\0\xff", 3)), (Ids{97, 0, 255}));
  EXPECT_EQ(ids_of(*bytes, "abc", 2), (Ids{97, 98}));
  EXPECT_EQ(bytes->vocabulary(), 256);
  EXPECT_TRUE(bytes->canonical_ids().empty());
  const std::vector<std::string> none;
  expect_error(ErrorCode::kInternal, "fixed vocabulary", [&] { bytes->restore(none); });
}

TEST(MakeTokenizer, RefusesOtherNames) {
  expect_error(ErrorCode::kUsage, "did you mean 'words'", [] { make_tokenizer("word"); });
  expect_error(ErrorCode::kUsage, "must be words", [] { make_tokenizer(""); });
  expect_error(ErrorCode::kUsage, "needs a path", [] { make_tokenizer("gpt2"); });
  expect_error(ErrorCode::kUsage, "needs a path", [] { make_tokenizer("tokenizer:"); });
  expect_error(ErrorCode::kUnreadable, "absent", [] { make_tokenizer("wordpiece:absent"); });
}

}  // namespace
}  // namespace sextant
