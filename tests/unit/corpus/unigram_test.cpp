// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/temporary_directory.h"
#include "support/tokens.h"

namespace sextant {
namespace {

using Ids = std::vector<TokenId>;
using Json = nlohmann::json;
using Scores = std::vector<std::pair<std::string, double>>;

class Unigram : public testing::Test {
 protected:
  std::unique_ptr<Tokenizer> from_json(const Json& json) const {
    return make_tokenizer("tokenizer:" + folder_.write("t.json", json.dump()).string());
  }
  TemporaryDirectory folder_;
};

Json unigram_json(const Json& vocabulary) {
  return {{"model", {{"type", "Unigram"}, {"vocab", vocabulary}, {"unk_id", 0}}}};
}

// Of pairs: a list of lists of two would be taken for an object.
Json unigram_json(const Scores& vocabulary) {
  Json list = Json::array();
  for (const auto& [token, score] : vocabulary) list.push_back(Json::array({token, score}));
  return unigram_json(list);
}

const std::string kMark = "\xe2\x96\x81";

TEST_F(Unigram, TakesTheLargestSumOfScores) {
  // ab + c = -3 beats a + bc = -3.5 and a + b + c = -6; abc alone would be -2.
  const Json json = unigram_json(
      Json::parse(R"([["<unk>",0],["a",-2],["b",-2],["c",-2],["ab",-1],["bc",-1.5]])"));
  EXPECT_EQ(ids_of(*from_json(json), "abc"), (Ids{4, 3}));
  EXPECT_EQ(ids_of(*from_json(json), "bcab"), (Ids{5, 4}));
}

TEST_F(Unigram, JoinsNeighbouringUnknownCharacters) {
  const Json json = unigram_json(Json::parse(R"([["<unk>",0],["a",-1]])"));
  EXPECT_EQ(ids_of(*from_json(json), "xya\xc3\xa9"), (Ids{0, 1, 0}));
}

TEST_F(Unigram, MarksBlanksAndSplitsThere) {
  Json json =
      unigram_json(Scores{{"<unk>", 0}, {kMark + "a", -1}, {kMark, -2}, {"b", -1}, {"a", -4}});
  json["pre_tokenizer"] = {
      {"type", "Metaspace"}, {"replacement", kMark}, {"prepend_scheme", "always"}};
  EXPECT_EQ(ids_of(*from_json(json), "a  ab"), (Ids{1, 2, 1, 3}));
  EXPECT_EQ(ids_of(*from_json(json), " a"), (Ids{1}));
  json["pre_tokenizer"]["prepend_scheme"] = "never";
  EXPECT_EQ(ids_of(*from_json(json), "a a"), (Ids{4, 1}));
  json["pre_tokenizer"]["prepend_scheme"] = "first";
  json["added_tokens"] = {{{"id", 5}, {"content", "<s>"}, {"normalized", false}}};
  EXPECT_EQ(ids_of(*from_json(json), "a<s>a"), (Ids{1, 5, 4}));
}

TEST_F(Unigram, StopsAtTheNumberAskedFor) {
  Json json = unigram_json(Scores{{"<unk>", 0}, {kMark + "a", -1}, {"b", -1}});
  json["pre_tokenizer"] = {{"type", "Metaspace"}, {"replacement", kMark}};
  const auto tokenizer = from_json(json);
  const Ids all = ids_of(*tokenizer, "ab abb a");
  EXPECT_EQ(all, (Ids{1, 2, 1, 2, 2, 1}));
  for (Index most = 0; most < 8; ++most)
    EXPECT_EQ(ids_of(*tokenizer, "ab abb a", most),
              Ids(all.begin(), all.begin() + std::min<Index>(most, 6)));
}

TEST_F(Unigram, NormalizesExactlyOrRefuses) {
  Json json = unigram_json(Scores{{"<unk>", 0}, {"\xc3\xa9", -1}});
  json["normalizer"] = {
      {"type", "Sequence"},
      {"normalizers", {{{"type", "NFD"}}, {{"type", "Lowercase"}}, {{"type", "NFC"}}}}};
  EXPECT_EQ(ids_of(*from_json(json),
                   "\xc3\x89"
                   "e\xcc\x81"),
            (Ids{1, 1}));
  json["normalizer"] = {{"type", "Precompiled"}};
  expect_error(ErrorCode::kMalformed, "/normalizer: the normalizer 'Precompiled'",
               [&] { from_json(json); });
}

TEST_F(Unigram, RefusesABadModel) {
  const auto bad = [&](const char* vocabulary, const char* part) {
    expect_error(ErrorCode::kMalformed, part,
                 [&] { from_json(unigram_json(Json::parse(vocabulary))); });
  };
  bad("[]", "/model/vocab: the vocabulary is empty");
  bad(R"([["a"]])", "/model/vocab/0: must be a token and its score");
  bad(R"([["a",0],["a",0]])", "/model/vocab/1: the token 'a' is there twice");
  bad(R"([["a","0"]])", "/model/vocab/0/1: must be a number");
  Json json = unigram_json(Json::parse(R"([["a",0]])"));
  json["model"]["unk_id"] = 1;
  expect_error(ErrorCode::kMalformed, "/model/unk_id", [&] { from_json(json); });
  json["model"]["unk_id"] = nullptr;
  const auto tokenizer = from_json(json);
  EXPECT_EQ(ids_of(*tokenizer, "a"), (Ids{0}));
  expect_error(ErrorCode::kMalformed, "no token", [&] { ids_of(*tokenizer, "ab"); });
  json["model"]["byte_fallback"] = true;
  expect_error(ErrorCode::kMalformed, "byte_fallback is not supported", [&] { from_json(json); });
}

}  // namespace
}  // namespace sextant
