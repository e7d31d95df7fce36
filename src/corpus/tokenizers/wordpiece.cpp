// SPDX-License-Identifier: Apache-2.0
// ASCII words are cut from the raw text and looked up in the session's cache; everything else takes
// the long way through BertText.
#include "corpus/tokenizers/wordpiece.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "corpus/tokenizers/tokenizers.h"
#include "corpus/tokenizers/trie.h"
#include "corpus/tokenizers/unicode.h"
#include "corpus/tokenizers/word_cache.h"

namespace sextant {
namespace {

class WordPieceTokenizer final : public PieceTokenizer {
 public:
  WordPieceTokenizer(PieceParts parts, WordPieceOptions options)
      : PieceTokenizer(std::move(parts)), options_(std::move(options)) {
    for (Index id = 0; id < vocabulary(); ++id) {
      const std::string& token = tokens().text(static_cast<TokenId>(id));
      if (!token.empty()) trie_.add(token, static_cast<TokenId>(id));
    }
    continuing_ = trie_.grown(options_.continuing);
    unknown_ = tokens().find(options_.unknown);
    prepare_added_tokens();
    finds_in_normalized_ = !normalized_finder().empty();
  }

  std::string_view name() const override { return "wordpiece"; }
  std::unique_ptr<TokenizerSession> session() const override;

  // Sessions normalize word by word; the whole piece only where added tokens want to see it. Doing
  // it twice changes nothing.
  std::string_view normalized(std::string_view piece, std::string& buffer) const override {
    const bool is_setup = !finds_in_normalized_.has_value();
    if (!is_setup && !*finds_in_normalized_) return piece;
    buffer.clear();
    BertText(options_.text).normalize(piece, buffer);
    return buffer;
  }

  const WordPieceOptions& options() const { return options_; }
  std::optional<TokenId> unknown() const { return unknown_; }

  // False, and nothing appended, when no pieces make up the word.
  bool pieces(std::string_view word, std::vector<TokenId>& ids) const {
    if (word.size() > options_.most_characters &&
        count_code_points(word) > options_.most_characters)
      return false;
    const std::size_t before = ids.size();
    Trie::Node from = Trie::kRoot;
    while (!word.empty()) {
      const Trie::Match piece = trie_.longest(word, from);
      if (piece.token == Trie::kNoToken) {
        ids.resize(before);
        return false;
      }
      ids.push_back(piece.token);
      word.remove_prefix(piece.size);
      from = continuing_;
    }
    return true;
  }

 private:
  WordPieceOptions options_;
  Trie trie_;
  Trie::Node continuing_ = Trie::kRoot;
  std::optional<TokenId> unknown_;
  std::optional<bool> finds_in_normalized_;
};

class WordPieceSession final : public PieceSession {
 public:
  explicit WordPieceSession(const WordPieceTokenizer& tokenizer)
      : PieceSession(tokenizer), tokenizer_(tokenizer), text_(tokenizer.options().text) {}

 protected:
  void encode_piece(std::string_view piece, bool /*first*/, IdSink& sink) override {
    using Kind = BertText::Kind;
    std::size_t at = 0;
    while (at < piece.size() && !sink.full()) {
      const Kind kind = text_.kind(piece[at]);
      if (kind == Kind::kBlank) {
        ++at;
        continue;
      }
      std::size_t end = at;
      if (kind == Kind::kSign) {
        ++end;
      } else {
        end += run_size<ascii_alphanumerics>(piece.substr(at));
        while (end < piece.size() && text_.kind(piece[end]) == Kind::kLetter) ++end;
      }
      if (kind != Kind::kSign && end < piece.size() && text_.kind(piece[end]) == Kind::kOther) {
        append_waiting(sink);
        end = long_way(piece, at, sink);
      } else {
        ascii_word(piece.substr(at), end - at, sink);
      }
      at = end;
    }
    append_waiting(sink);
  }

 private:
  void ascii_word(std::string_view text, std::size_t size, IdSink& sink) {
    if (size > ShortWord::kMostBytes) {
      append_waiting(sink);
      if (sink.full()) return;
      word_ = text.substr(0, size);
      if (text_.options().lower)
        for (char& c : word_) c = ascii_lowered(c);
      pieces(word_, sink.ids);
      return;
    }
    const ShortWord word = ShortWord::from(text, size);
    cache_.push(text_.options().lower ? word.lowered() : word);
    if (cache_.full()) append_waiting(sink);
  }

  void append_waiting(IdSink& sink) {
    cache_.append_waiting(sink.most, sink.ids,
                          [&](std::string_view word) { pieces(word, sink.ids); });
  }

  // Up to the next ASCII blank or sign, beyond which nothing reaches: no mark moves over them.
  std::size_t long_way(std::string_view piece, std::size_t at, IdSink& sink) {
    std::size_t end = at;
    const auto goes_on = [&](char c) {
      const BertText::Kind kind = text_.kind(c);
      return kind == BertText::Kind::kLetter || kind == BertText::Kind::kOther;
    };
    while (end < piece.size() && goes_on(piece[end])) ++end;
    normalized_.clear();
    text_.normalize(piece.substr(at, end - at), normalized_);
    const std::string_view text = normalized_;
    for (std::size_t from = 0; from < text.size() && !sink.full();) {
      const std::string_view word = next_bert_word(text, from);
      if (word.empty()) break;
      from = static_cast<std::size_t>(word.data() - text.data()) + word.size();
      pieces(word, sink.ids);
    }
    return end;
  }

  void pieces(std::string_view word, std::vector<TokenId>& ids) {
    if (tokenizer_.pieces(word, ids)) return;
    if (!tokenizer_.unknown()) fail_unknown(word);
    ids.push_back(*tokenizer_.unknown());
  }

  const WordPieceTokenizer& tokenizer_;
  BertText text_;
  WordCache cache_;
  std::string word_, normalized_;
};

std::unique_ptr<TokenizerSession> WordPieceTokenizer::session() const {
  return std::make_unique<WordPieceSession>(*this);
}

// True when a token outside [brackets] has an ASCII capital.
bool has_capitals(const Vocabulary& vocabulary) {
  for (Index id = 0; id < vocabulary.size(); ++id) {
    const std::string& token = vocabulary.text(static_cast<TokenId>(id));
    if (token.starts_with('[') && token.ends_with(']')) continue;
    if (std::ranges::any_of(token, [](char c) { return c >= 'A' && c <= 'Z'; })) return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<Tokenizer> make_wordpiece(PieceParts parts, WordPieceOptions options) {
  return std::make_unique<WordPieceTokenizer>(std::move(parts), std::move(options));
}

std::unique_ptr<Tokenizer> read_wordpiece_vocabulary(const std::filesystem::path& file) {
  PieceParts parts = {.file = path_text(file)};
  parts.vocabulary = read_vocabulary_lines(file, parts.notes);
  for (const std::string_view special : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"})
    if (const auto id = parts.vocabulary.find(special))
      parts.added.push_back({.content = std::string(special), .id = *id});
  WordPieceOptions options;
  const bool cased = has_capitals(parts.vocabulary);
  options.text.lower = options.text.strip_accents = !cased;
  parts.notes.push_back(cased ? "vocabulary: cased, since tokens have capitals"
                              : "vocabulary: uncased, since no token has a capital; text is "
                                "lower-cased and loses its accents");
  return make_wordpiece(std::move(parts), std::move(options));
}

}  // namespace sextant
