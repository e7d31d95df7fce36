// SPDX-License-Identifier: Apache-2.0
// Every byte is a token; the id is its value.
#include <algorithm>

#include "corpus/tokenizers/tokenizers.h"

namespace sextant {
namespace {

class BytesSession final : public TokenizerSession {
 public:
  void encode(std::string_view text, Index most, std::vector<TokenId>& ids) override {
    for (const char c : text.substr(0, static_cast<std::size_t>(most)))
      ids.push_back(static_cast<unsigned char>(c));
  }
};

class BytesTokenizer final : public Tokenizer {
 public:
  std::string_view name() const override { return "bytes"; }
  std::unique_ptr<TokenizerSession> session() const override {
    return std::make_unique<BytesSession>();
  }
  Index vocabulary() const override { return 256; }
  std::string text(TokenId id) const override { return {static_cast<char>(id)}; }
};

}  // namespace

std::unique_ptr<Tokenizer> make_bytes_tokenizer() { return std::make_unique<BytesTokenizer>(); }

}  // namespace sextant
