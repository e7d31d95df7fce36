// SPDX-License-Identifier: Apache-2.0
// WordPiece: a word becomes the longest piece that starts it, then the longest that continues it.
#pragma once

#include "corpus/tokenizers/bert_text.h"
#include "corpus/tokenizers/piece_tokenizer.h"

namespace sextant {

struct WordPieceOptions {
  BertOptions text = {};
  std::string unknown = "[UNK]";
  std::string continuing = "##";
  std::size_t most_characters = 100;  // a longer word is unknown
};

// Throws kMalformed when `parts.vocabulary` and the options cannot work together.
std::unique_ptr<Tokenizer> make_wordpiece(PieceParts parts, WordPieceOptions options);

}  // namespace sextant
