// SPDX-License-Identifier: Apache-2.0
// The names under which a user asks for a tokenizer.
#include <array>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "corpus/tokenizers/tokenizers.h"

namespace sextant {
namespace {

struct FileKind {
  std::string_view name;
  std::unique_ptr<Tokenizer> (*read)(const std::filesystem::path&);
};

constexpr std::array<FileKind, 4> kFileKinds = {{{"wordpiece", read_wordpiece_vocabulary},
                                                 {"gpt2", read_gpt2_folder},
                                                 {"tokenizer", read_tokenizer_json},
                                                 {"sentencepiece", read_sentencepiece_model}}};

}  // namespace

void Tokenizer::restore(std::span<const std::string> /*tokens*/) {
  fail(ErrorCode::kInternal, name(), "has a fixed vocabulary");
}

std::unique_ptr<Tokenizer> make_tokenizer(std::string_view text) {
  if (text == "words") return make_words_tokenizer();
  if (text == "bytes") return make_bytes_tokenizer();
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  std::vector<std::string> names = {"words", "bytes"};
  for (const FileKind& each : kFileKinds) {
    names.emplace_back(each.name);
    if (each.name != kind) continue;
    require(colon != text.npos && colon + 1 < text.size(), "--tokens",
            "{} needs a path, as in {}:PATH", kind, kind);
    return each.read(std::filesystem::path(text.substr(colon + 1)));
  }
  fail(ErrorCode::kUsage, "--tokens",
       "must be words, bytes, wordpiece:VOCAB, gpt2:DIR, tokenizer:FILE.json or "
       "sentencepiece:FILE.model, but got '{}'{}",
       escaped(text), suggestion(kind, names));
}

}  // namespace sextant
