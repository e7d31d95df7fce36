// SPDX-License-Identifier: Apache-2.0
// Byte-pair encoding: a word starts as single bytes, and the neighbours whose merge ranks first
// join until none can.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/tokenizers/piece_tokenizer.h"
#include "corpus/tokenizers/regex_split.h"
#include "corpus/tokenizers/text_normalizer.h"

namespace sextant {

struct BpeMerge {
  std::string left, right;
  std::string place;  // where the file has it, for messages
};

struct BpeOptions {
  TextNormalizer normalizer = {};
  std::vector<RegexPattern> splits = {};  // in turn, before the next two
  bool gpt2_words = true;                 // cut by GPT-2's own expression
  bool prefix_blank = false;              // every piece starts with a blank
  bool whole_words_first = false;         // a word that is a token is not merged (ignore_merges)
};

// Byte level. kMalformed when a byte has no token, or a merge repeats or names no token.
std::unique_ptr<Tokenizer> make_bpe(PieceParts parts, const std::vector<BpeMerge>& merges,
                                    BpeOptions options);

}  // namespace sextant
