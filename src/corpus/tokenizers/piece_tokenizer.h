// SPDX-License-Identifier: Apache-2.0
// What tokenizers with a fixed vocabulary share: the list, added tokens, notes, and the walk over a
// text that hands the pieces between added tokens to the model.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/tokenizers/added_tokens.h"
#include "corpus/tokenizers/vocabulary.h"
#include "sextant/corpus.h"

namespace sextant {

// Ids that are wanted, and when there are enough of them.
struct IdSink {
  std::vector<TokenId>& ids;
  std::size_t most;  // size of `ids` at which nothing more is wanted

  bool full() const { return ids.size() >= most; }
};

// Everything of a tokenizer that a file decides, whatever its model.
struct PieceParts {
  std::string file;  // for messages
  Vocabulary vocabulary = {};
  std::vector<AddedToken> added = {};
  std::vector<std::string> notes = {};
};

class PieceTokenizer : public Tokenizer {
 public:
  Index vocabulary() const final { return parts_.vocabulary.size(); }
  std::string text(TokenId id) const final { return parts_.vocabulary.text(id); }
  SpecialTokens specials() const final;
  std::vector<std::string> notes() const final { return parts_.notes; }

  // The text in which added tokens with `normalized` are looked for and which encode_piece of the
  // session gets. `buffer` may hold it.
  virtual std::string_view normalized(std::string_view piece, std::string& buffer) const;

  const Vocabulary& tokens() const { return parts_.vocabulary; }
  const std::string& file() const { return parts_.file; }
  const AddedTokenFinder& raw_finder() const { return raw_; }
  const AddedTokenFinder& normalized_finder() const { return normalized_; }

 protected:
  explicit PieceTokenizer(PieceParts parts) : parts_(std::move(parts)) {}
  // Call at the end of the constructor, when normalized() works.
  void prepare_added_tokens();

 private:
  PieceParts parts_;
  AddedTokenFinder raw_, normalized_;
};

class PieceSession : public TokenizerSession {
 public:
  void encode(std::string_view text, Index most, std::vector<TokenId>& ids) final;

 protected:
  explicit PieceSession(const PieceTokenizer& tokenizer) : tokenizer_(tokenizer) {}

  // Appends the ids of a piece without added tokens; may stop once the sink is full. `first`: the
  // piece starts the text.
  virtual void encode_piece(std::string_view piece, bool first, IdSink& sink) = 0;

  // A piece of text that the model has no token for, in a vocabulary without an unknown token.
  [[noreturn]] void fail_unknown(std::string_view word) const;

 private:
  template <typename Plain>
  void walk(std::string_view text, const AddedTokenFinder& finder, IdSink& sink,
            const Plain& plain);

  const PieceTokenizer& tokenizer_;
  std::string buffer_;
  std::string_view text_;
};

}  // namespace sextant
