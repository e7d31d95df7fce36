// SPDX-License-Identifier: Apache-2.0
// Words are cut from the raw bytes; the printable alphabet of the files is left behind at loading.
#include "corpus/tokenizers/bpe.h"

#include <array>

#include "base/text.h"
#include "corpus/tokenizers/byte_level.h"
#include "corpus/tokenizers/merge_table.h"
#include "corpus/tokenizers/word_cache.h"

namespace sextant {
namespace {

class BpeTokenizer final : public PieceTokenizer {
 public:
  BpeTokenizer(PieceParts parts, const BpeMergeList& merges, BpeOptions options)
      : PieceTokenizer(std::move(parts)),
        options_(std::move(options)),
        merges_(merges.merges.size()) {
    for (std::size_t byte = 0; byte < bytes_.size(); ++byte) {
      const auto id = tokens().find(byte_symbols()[byte]);
      if (!id)
        fail(ErrorCode::kMalformed, file(), "the vocabulary has no token for the byte {:#04x}",
             byte);
      bytes_[byte] = *id;
    }
    for (std::size_t i = 0; i < merges.merges.size(); ++i) add(merges, i);
    prepare_added_tokens();
  }

  std::string_view name() const override { return "bpe"; }
  std::unique_ptr<TokenizerSession> session() const override;
  std::string_view normalized(std::string_view piece, std::string& buffer) const override {
    return options_.normalizer.apply(piece, buffer);
  }

  const BpeOptions& options() const { return options_; }
  const MergeTable& merges() const { return merges_; }
  TokenId byte(char c) const { return bytes_[static_cast<unsigned char>(c)]; }

  // The token that a whole word is.
  std::optional<TokenId> whole(std::string_view word) const {
    std::string written;
    for (const char c : word) written += byte_symbols()[static_cast<unsigned char>(c)];
    return tokens().find(written);
  }

 private:
  void add(const BpeMergeList& list, std::size_t i) {
    const BpeMerge& merge = list.merges[i];
    const auto id_of = [&](const std::string& token) {
      const auto id = tokens().find(token);
      if (!id)
        fail(ErrorCode::kMalformed, list.place(i),
             "the merge needs the token '{}', which the vocabulary lacks", escaped(token));
      return *id;
    };
    const TokenId left = id_of(merge.left), right = id_of(merge.right);
    if (!merges_.add(left, right, id_of(merge.left + merge.right)))
      fail(ErrorCode::kMalformed, list.place(i), "the merge of '{}' and '{}' is there twice",
           escaped(merge.left), escaped(merge.right));
  }

  BpeOptions options_;
  MergeTable merges_;
  std::array<TokenId, 256> bytes_ = {};
};

class BpeSession final : public PieceSession {
 public:
  explicit BpeSession(const BpeTokenizer& tokenizer)
      : PieceSession(tokenizer), tokenizer_(tokenizer), merger_(tokenizer.merges()) {
    for (const RegexPattern& pattern : tokenizer.options().splits) matchers_.emplace_back(pattern);
  }

 protected:
  void encode_piece(std::string_view piece, bool /*first*/, IdSink& sink) override {
    if (tokenizer_.options().prefix_blank && !piece.starts_with(' ')) {
      prefixed_ = ' ';
      prefixed_ += piece;
      piece = prefixed_;
    }
    split(piece, 0, sink);
  }

 private:
  void split(std::string_view piece, std::size_t stage, IdSink& sink) {
    if (stage == matchers_.size()) return words(piece, sink);
    std::size_t at = 0;
    while (at < piece.size() && !sink.full()) {
      const auto match = matchers_[stage].next(piece, at);
      const std::size_t begin = match ? match->begin : piece.size();
      if (begin > at) split(piece.substr(at, begin - at), stage + 1, sink);
      if (match) split(piece.substr(begin, match->end - begin), stage + 1, sink);
      at = match ? match->end : piece.size();
    }
  }

  void words(std::string_view piece, IdSink& sink) {
    for (std::size_t at = 0; at < piece.size() && !sink.full();) {
      const std::size_t end =
          tokenizer_.options().gpt2_words ? gpt2_word_end(piece, at) : piece.size();
      word(piece.substr(at), end - at, sink.ids);
      at = end;
    }
  }

  void word(std::string_view text, std::size_t size, std::vector<TokenId>& ids) {
    const bool is_short = size <= ShortWord::kMostBytes;
    const ShortWord key = is_short ? ShortWord::from(text, size) : ShortWord();
    if (is_short && cache_.append(key, ids)) return;
    symbols_.clear();
    std::optional<TokenId> whole;
    if (tokenizer_.options().whole_words_first) whole = tokenizer_.whole(text.substr(0, size));
    if (whole) {
      symbols_.push_back(*whole);
    } else {
      for (const char c : text.substr(0, size)) symbols_.push_back(tokenizer_.byte(c));
      merger_.merge(symbols_);
    }
    if (is_short) cache_.insert(key, symbols_);
    ids.insert(ids.end(), symbols_.begin(), symbols_.end());
  }

  const BpeTokenizer& tokenizer_;
  Merger merger_;
  std::vector<RegexMatcher> matchers_;
  WordCache cache_;
  std::vector<TokenId> symbols_;
  std::string prefixed_;
};

std::unique_ptr<TokenizerSession> BpeTokenizer::session() const {
  return std::make_unique<BpeSession>(*this);
}

}  // namespace

std::unique_ptr<Tokenizer> make_bpe(PieceParts parts, const BpeMergeList& merges,
                                    BpeOptions options) {
  return std::make_unique<BpeTokenizer>(std::move(parts), merges, std::move(options));
}

}  // namespace sextant
