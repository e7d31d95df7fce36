// SPDX-License-Identifier: Apache-2.0
// Real vocabularies on real text against ids that another tokenizer made. The folder that the
// variable SEXTANT_DATA names holds them; they are not part of this project.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "support/temporary_directory.h"
#include "support/tokens.h"

namespace sextant {
namespace {

class TokenizerData : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("SEXTANT_DATA");
    if (folder == nullptr) GTEST_SKIP() << "SEXTANT_DATA is not set";
    folder_ = folder;
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  template <typename Value>
  std::vector<Value> values(const std::string& name) const {
    const std::string bytes = content_of(folder_ / name);
    std::vector<Value> all(bytes.size() / sizeof(Value));
    std::memcpy(all.data(), bytes.data(), all.size() * sizeof(Value));
    return all;
  }

  // Of a file label<TAB>text.
  std::vector<std::string> texts(const std::string& name) const {
    std::vector<std::string> all;
    std::string_view rest;
    const std::string bytes = content_of(folder_ / name);
    for (rest = bytes; !rest.empty();) {
      const std::size_t end = rest.find('\n');
      const std::string_view line = rest.substr(0, end);
      all.emplace_back(line.substr(line.rfind('\t') + 1));
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    }
    return all;
  }

  void expect_reference(const Tokenizer& tokenizer, const std::string& text_file,
                        const std::string& reference) const {
    const auto ids = values<std::uint16_t>("tokenized/" + reference + ".wordpiece.ids.u16");
    const auto lengths = values<std::uint32_t>("tokenized/" + reference + ".wordpiece.lens.u32");
    const std::vector<std::string> sequences = texts(text_file);
    ASSERT_EQ(sequences.size(), lengths.size());
    const auto session = tokenizer.session();
    std::size_t at = 0;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      const std::vector<TokenId> found = ids_of(*session, sequences[i]);
      ASSERT_EQ(found.size(), lengths[i]) << sequences[i];
      for (const TokenId id : found) ASSERT_EQ(id, ids[at++]) << sequences[i];
    }
    EXPECT_EQ(at, ids.size());
  }

  std::filesystem::path folder_;
};

TEST_F(TokenizerData, WordPieceFromAVocabularyGivesTheReferenceIds) {
  const auto tokenizer =
      make_tokenizer("wordpiece:" + path("tokenizers/bert-base-uncased-vocab.txt"));
  expect_reference(*tokenizer, "sst2/dev.tsv", "sst2_glue_dev");
  expect_reference(*tokenizer, "sst2/train-sentences.tsv", "sst2_6920_train_restored");
}

TEST_F(TokenizerData, WordPieceFromJsonGivesTheReferenceIds) {
  const auto tokenizer = make_tokenizer("tokenizer:" + path("tokenizers/wordpiece-tokenizer.json"));
  expect_reference(*tokenizer, "sst2/dev.tsv", "sst2_glue_dev");
  expect_reference(*tokenizer, "sst2/train-sentences.tsv", "sst2_6920_train_restored");
}

TEST_F(TokenizerData, BothFormsOfGpt2Agree) {
  const auto folder = make_tokenizer("gpt2:" + path("tokenizers/gpt2"));
  const auto json = make_tokenizer("tokenizer:" + path("tokenizers/gpt2-tokenizer.json"));
  const auto a = folder->session(), b = json->session();
  for (const std::string& text : texts("sst2/train-sentences.tsv")) {
    const std::vector<TokenId> ids = ids_of(*a, text);
    ASSERT_EQ(ids, ids_of(*b, text));
    for (std::size_t most = 0; most < ids.size(); most += 7)
      ASSERT_EQ(ids_of(*a, text, static_cast<Index>(most)),
                std::vector(ids.begin(), ids.begin() + std::ptrdiff_t(most)));
  }
  // As published with the model: "Hello world" and the end of a text.
  EXPECT_EQ(ids_of(*a, "Hello world<|endoftext|>"), (std::vector<TokenId>{15496, 995, 50256}));
}

}  // namespace
}  // namespace sextant
