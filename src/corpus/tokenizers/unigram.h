// SPDX-License-Identifier: Apache-2.0
// Unigram: of all ways to cut a word into tokens the one with the largest sum of scores.
#pragma once

#include <string>
#include <vector>

#include "corpus/tokenizers/piece_tokenizer.h"
#include "corpus/tokenizers/text_normalizer.h"

namespace sextant {

struct UnigramOptions {
  enum class Prepend { kNever, kFirst, kAlways };
  TextNormalizer normalizer = {};
  std::vector<double> scores = {};  // by id, of the model's own tokens
  std::optional<TokenId> unknown = {};
  bool mark_blanks = false;            // Metaspace: blanks become `mark`
  std::string mark = "\xe2\x96\x81";   // U+2581
  Prepend prepend = Prepend::kAlways;  // the mark before a piece
  bool split = true;                   // a word starts at every mark
};

std::unique_ptr<Tokenizer> make_unigram(PieceParts parts, UnigramOptions options);

}  // namespace sextant
