// SPDX-License-Identifier: Apache-2.0
// Viterbi from left to right over the bytes of a word; the walk down the trie finds every token
// that starts at a character.
#include "corpus/tokenizers/unigram.h"

#include <algorithm>
#include <limits>

#include "corpus/tokenizers/trie.h"
#include "corpus/tokenizers/unicode.h"

namespace sextant {
namespace {

constexpr double kUnknownPenalty = 10.0;  // below the worst score

class UnigramTokenizer final : public PieceTokenizer {
 public:
  UnigramTokenizer(PieceParts parts, UnigramOptions options)
      : PieceTokenizer(std::move(parts)), options_(std::move(options)) {
    for (std::size_t id = 0; id < options_.scores.size(); ++id) {
      const std::string& token = tokens().text(static_cast<TokenId>(id));
      if (!token.empty()) trie_.add(token, static_cast<TokenId>(id));
    }
    unknown_score_ = std::ranges::min(options_.scores) - kUnknownPenalty;
    prepare_added_tokens();
  }

  std::string_view name() const override { return "unigram"; }
  std::unique_ptr<TokenizerSession> session() const override;
  std::string_view normalized(std::string_view piece, std::string& buffer) const override {
    return options_.normalizer.apply(piece, buffer);
  }

  const UnigramOptions& options() const { return options_; }
  const Trie& trie() const { return trie_; }
  double score(TokenId id) const { return options_.scores[id]; }
  double unknown_score() const { return unknown_score_; }

 private:
  UnigramOptions options_;
  Trie trie_;
  double unknown_score_ = 0.0;
};

class UnigramSession final : public PieceSession {
 public:
  explicit UnigramSession(const UnigramTokenizer& tokenizer)
      : PieceSession(tokenizer), tokenizer_(tokenizer) {}

 protected:
  void encode_piece(std::string_view piece, bool first, IdSink& sink) override {
    const UnigramOptions& options = tokenizer_.options();
    if (!options.mark_blanks) return word(piece, sink.ids);
    using Prepend = UnigramOptions::Prepend;
    marked_.clear();
    const bool has_mark = piece.starts_with(' ') || piece.starts_with(options.mark);
    const bool wants_mark =
        options.prepend == Prepend::kAlways || (options.prepend == Prepend::kFirst && first);
    if (wants_mark && !has_mark) marked_ += options.mark;
    for (const char c : piece) {
      if (c == ' ')
        marked_ += options.mark;
      else
        marked_ += c;
    }
    const std::string_view text = marked_;
    for (std::size_t at = 0; at < text.size() && !sink.full();) {
      const std::size_t next = options.split ? text.find(options.mark, at + 1) : text.npos;
      const std::size_t end = std::min(next, text.size());
      word(text.substr(at, end - at), sink.ids);
      at = end;
    }
  }

 private:
  // The best way to reach an offset: its score, and the last token of it.
  struct Reached {
    double score = 0.0;
    std::size_t from = kNever;
    TokenId token = 0;
  };
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  void reach(std::size_t to, double score, std::size_t from, TokenId token) {
    Reached& place = best_[to];
    if (place.from == kNever || score > place.score) place = {score, from, token};
  }

  void word(std::string_view text, std::vector<TokenId>& ids) {
    const Trie& trie = tokenizer_.trie();
    best_.assign(text.size() + 1, {});
    for (std::size_t at = 0; at < text.size();) {
      const double here = best_[at].score;
      const std::size_t character = first_code_point(text.substr(at)).size;
      bool covered = false;  // by a token of one character
      Trie::Node node = Trie::kRoot;
      for (std::size_t end = at; end < text.size();) {
        node = trie.child(node, text[end++]);
        if (node == Trie::kNowhere) break;
        const TokenId token = trie.value(node);
        if (token == Trie::kNoToken) continue;
        reach(end, here + tokenizer_.score(token), at, token);
        covered = covered || end - at == character;
      }
      if (!covered) {
        if (!tokenizer_.options().unknown) fail_unknown(text.substr(at, character));
        reach(at + character, here + tokenizer_.unknown_score(), at, *tokenizer_.options().unknown);
      }
      at += character;
    }
    append_path(text.size(), ids);
  }

  // Neighbouring unknown characters make one unknown token.
  void append_path(std::size_t end, std::vector<TokenId>& ids) const {
    const std::size_t before = ids.size();
    while (end > 0) {
      const Reached& last = best_[end];
      const bool joins = tokenizer_.options().unknown == last.token && ids.size() > before &&
                         ids.back() == last.token;
      if (!joins) ids.push_back(last.token);
      end = last.from;
    }
    std::reverse(ids.begin() + static_cast<std::ptrdiff_t>(before), ids.end());
  }

  const UnigramTokenizer& tokenizer_;
  std::string marked_;
  std::vector<Reached> best_;
};

std::unique_ptr<TokenizerSession> UnigramTokenizer::session() const {
  return std::make_unique<UnigramSession>(*this);
}

}  // namespace

std::unique_ptr<Tokenizer> make_unigram(PieceParts parts, UnigramOptions options) {
  return std::make_unique<UnigramTokenizer>(std::move(parts), std::move(options));
}

}  // namespace sextant
