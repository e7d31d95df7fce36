// SPDX-License-Identifier: Apache-2.0
// Byte-pair encoding: a word starts as single bytes, and the neighbours whose merge ranks first
// join until none can.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "corpus/tokenizers/piece_tokenizer.h"
#include "corpus/tokenizers/regex_split.h"
#include "corpus/tokenizers/text_normalizer.h"

namespace sextant {

struct BpeMerge {
  std::string left, right;
};
// The merges of a file in the order of their ranks, and where it has the i-th, for messages.
struct BpeMergeList {
  std::vector<BpeMerge> merges = {};
  std::function<std::string(std::size_t)> place = {};
};

struct BpeOptions {
  TextNormalizer normalizer = {};
  std::vector<RegexPattern> splits = {};  // in turn, before the next two
  bool gpt2_words = true;                 // cut by GPT-2's own expression
  bool prefix_blank = false;              // every piece starts with a blank
  bool whole_words_first = false;         // a word that is a token is not merged (ignore_merges)
};

// Byte level. kMalformed when a byte has no token, or a merge repeats or names no token.
std::unique_ptr<Tokenizer> make_bpe(PieceParts parts, const BpeMergeList& merges,
                                    BpeOptions options);

}  // namespace sextant
