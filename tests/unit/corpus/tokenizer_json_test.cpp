// SPDX-License-Identifier: Apache-2.0
// What a tokenizer.json may not be. Every message names the place as a JSON pointer.
#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/temporary_directory.h"
#include "support/tokens.h"

namespace sextant {
namespace {

using Json = nlohmann::json;

class TokenizerJson : public testing::Test {
 protected:
  void refuses(const std::string& text, std::string_view part,
               ErrorCode code = ErrorCode::kMalformed) const {
    const std::string path = folder_.write("t.json", text).string();
    expect_error(code, part, [&] { make_tokenizer("tokenizer:" + path); });
  }
  void refuses(const Json& json, std::string_view part) const { refuses(json.dump(), part); }

  TemporaryDirectory folder_;
};

TEST_F(TokenizerJson, MustBeADocumentWithAModel) {
  refuses(std::string(""), "t.json: empty");
  refuses(std::string("{\"a\":\n 1,}"), "t.json:2:4: bad JSON");
  refuses(std::string("[]"), "document: must be an object but is array");
  refuses(std::string("{}"), "'model' is missing");
  refuses(Json{{"model", Json::object()}}, "/model: 'type' is missing");
  refuses(Json{{"model", {{"type", 3}}}}, "/model/type: must be a string");
  refuses(Json{{"model", {{"type", "WordLevel"}}}}, "/model/type: the model 'WordLevel'");
}

TEST_F(TokenizerJson, RefusesIdsThatAreNoList) {
  const auto vocabulary = [&](const char* text, const char* part) {
    Json json = wordpiece_json({});
    json["model"]["vocab"] = Json::parse(text);
    refuses(json, part);
  };
  vocabulary("{}", "/model/vocab: the vocabulary is empty");
  vocabulary(R"({"a":0,"b":-1})", "/model/vocab/b: the id must be from 0 to 16777215 but is -1");
  vocabulary(R"({"a":16777216})", "/model/vocab/a: the id must be");
  vocabulary(R"({"a":0,"b":0})", "id 0 belongs to both");
  vocabulary(R"({"a":0,"b":2})", "id 1 is missing");
  vocabulary(R"({"a":0.5})", "/model/vocab/a: must be an integer");
  refuses(std::string(R"({"model":{"type":"WordPiece","vocab":{"a":0,"a":1}}})"),
          "/model/vocab/a: the key is repeated");
}

TEST_F(TokenizerJson, AcceptsASingleTokenAndSaysSo) {
  const std::string path = folder_.write("t.json", wordpiece_json({"[UNK]"}).dump()).string();
  EXPECT_EQ(make_tokenizer("tokenizer:" + path)->notes(),
            (std::vector<std::string>{"tokenizer.json: the vocabulary has a single token"}));
}

TEST_F(TokenizerJson, RefusesAddedTokensThatContradictTheVocabulary) {
  Json json = wordpiece_json({"[UNK]", "a"});
  const auto added = [&](const char* text, const char* part) {
    json["added_tokens"] = Json::parse(text);
    refuses(json, part);
  };
  added(R"([{"id":0,"content":"a"}])", "/added_tokens/0: 'a' has the id 0 here but 1");
  added(R"([{"id":1,"content":"x"}])", "id 1 belongs to both");
  added(R"([{"id":3,"content":"x"}])", "id 2 is missing");
  added(R"([{"id":2,"content":""}])", "/added_tokens/0: the added token is empty");
  added(R"([{"id":2,"content":"x","single_word":true}])", "/added_tokens/0: single_word");
  added(R"([{"id":2,"content":"x"},{"id":3,"content":"x"}])", "/added_tokens/1: the added token");
  added(R"([{"id":2,"content":" x","lstrip":true}])", "/added_tokens/0: lstrip and rstrip");
  added(R"([{"content":"x"}])", "/added_tokens/0: 'id' is missing");
  added(R"({"a":1})", "/added_tokens: must be an array");
}

TEST_F(TokenizerJson, RefusesByNameWhatItDoesNotSupport) {
  Json json = wordpiece_json({"[UNK]"});
  json["normalizer"]["type"] = "Nmt";
  refuses(json, "/normalizer: the normalizer 'Nmt' is not supported with the model WordPiece");
  json = wordpiece_json({"[UNK]"});
  json["pre_tokenizer"]["type"] = "Whitespace";
  refuses(json, "/pre_tokenizer: the pre-tokenizer 'Whitespace'");
  json = byte_level_json({});
  for (const char* setting : {"byte_fallback", "fuse_unk"}) {
    json["model"][setting] = true;
    refuses(json, std::string("/model: ") + setting + " is not supported");
    json["model"][setting] = false;
  }
  json["model"]["dropout"] = 0.1;
  refuses(json, "/model: dropout is not supported");
  json["model"]["dropout"] = nullptr;
  json["model"]["end_of_word_suffix"] = "</w>";
  refuses(json, "/model: end_of_word_suffix is not supported");
  json = byte_level_json({});
  json["pre_tokenizer"] = nullptr;
  refuses(json, "without the pre-tokenizer ByteLevel");
  json["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", {{{"type", "Digits"}}}}};
  refuses(json, "/pre_tokenizer/pretokenizers/0: the pre-tokenizer 'Digits'");
  json = byte_level_json({});
  json["normalizer"] = {{"type", "Sequence"}, {"normalizers", {{{"type", "Strip"}}}}};
  refuses(json, "/normalizer/normalizers/0: the normalizer 'Strip'");
}

TEST_F(TokenizerJson, RefusesBadMerges) {
  const Json good = byte_level_json({"a b"});
  const auto merges = [&](const char* text, const char* part) {
    Json json = good;
    json["model"]["merges"] = Json::parse(text);
    refuses(json, part);
  };
  merges(R"(["a b","a"])", "/model/merges/1: a merge must be two tokens");
  merges(R"([["a","b","c"]])", "/model/merges/0: a merge must be two tokens");
  merges(R"(["a b","b c"])", "/model/merges/1: the merge needs the token 'bc'");
  merges(R"(["a b",["a","b"]])", "/model/merges/1: the merge of 'a' and 'b' is there twice");
  Json json = good;
  json["model"]["vocab"].erase("a");
  json["model"]["vocab"]["aa"] = 'a';
  refuses(json, "no token for the byte 0x61");
}

TEST_F(TokenizerJson, RefusesPatternsThatTwoLibrariesReadDifferently) {
  const auto pattern = [&](const char* regex, const char* part) {
    Json json = byte_level_json({});
    json["pre_tokenizer"] = {
        {"type", "Sequence"},
        {"pretokenizers",
         {{{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", "Isolated"}},
          {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}}};
    refuses(json, part);
  };
  pattern("a\\w", "/pre_tokenizer/pretokenizers/0/pattern/Regex: '\\w' at offset 1");
  pattern("^a", "'^' at offset 0");
  pattern("a{1,2}+", "'}+'");
  pattern("[a[b]]", "'[ in a class'");
  pattern("[a&&b]", "'&&'");
  pattern("(?>a)", "'(?'");
  pattern("[\\S]", "is not supported");
  pattern("(a", "the pattern is broken");
  pattern("a*", "matches the empty text");
}

}  // namespace
}  // namespace sextant
