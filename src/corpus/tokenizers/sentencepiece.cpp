// SPDX-License-Identifier: Apache-2.0
// Models of SentencePiece, by its own library: their normalizer is a compiled table that only it
// can read exactly.
#include "base/check.h"
#include "base/text.h"
#include "corpus/tokenizers/tokenizers.h"
#include "corpus/tokenizers/vocabulary.h"
#include "io/input_file.h"

#ifdef SEXTANT_WITH_SENTENCEPIECE
#include <sentencepiece_processor.h>
#endif

namespace sextant {

#ifdef SEXTANT_WITH_SENTENCEPIECE
namespace {

using sentencepiece::SentencePieceProcessor;

class SentencePieceSession final : public TokenizerSession {
 public:
  explicit SentencePieceSession(const SentencePieceProcessor& model) : model_(model) {}

  void encode(std::string_view text, Index most, std::vector<TokenId>& ids) override {
    const auto status = model_.Encode({text.data(), text.size()}, &found_);
    if (!status.ok()) fail(ErrorCode::kMalformed, "text", "{}", escaped(status.message()));
    for (const int id : found_) {
      if (most-- == 0) return;
      ids.push_back(static_cast<TokenId>(id));
    }
  }

 private:
  const SentencePieceProcessor& model_;
  std::vector<int> found_;
};

class SentencePieceTokenizer final : public Tokenizer {
 public:
  explicit SentencePieceTokenizer(const std::filesystem::path& file) {
    const std::string bytes = read_whole(file, kMostTokenizerBytes);
    const auto status = model_.LoadFromSerializedProto({bytes.data(), bytes.size()});
    if (!status.ok())
      fail(ErrorCode::kMalformed, path_text(file), "is no SentencePiece model: {}",
           escaped(status.message()));
  }

  std::string_view name() const override { return "sentencepiece"; }
  std::unique_ptr<TokenizerSession> session() const override {
    return std::make_unique<SentencePieceSession>(model_);
  }
  Index vocabulary() const override { return model_.GetPieceSize(); }
  std::string text(TokenId id) const override { return model_.IdToPiece(static_cast<int>(id)); }

 private:
  SentencePieceProcessor model_;
};

}  // namespace

std::unique_ptr<Tokenizer> read_sentencepiece_model(const std::filesystem::path& file) {
  return std::make_unique<SentencePieceTokenizer>(file);
}
#else
std::unique_ptr<Tokenizer> read_sentencepiece_model(const std::filesystem::path& file) {
  fail(ErrorCode::kUsage, path_text(file),
       "this build has no SentencePiece; install libsentencepiece-dev and build again");
}
#endif

}  // namespace sextant
