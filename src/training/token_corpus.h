// SPDX-License-Identifier: Apache-2.0
// Texts as tokens in memory, and their division into training and test data.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "corpus/records.h"
#include "sextant/task.h"
#include "sextant/trial.h"

namespace sextant {

struct CorpusReading {
  std::function<void(const ReadProgress&)> progress = {};  // after each batch of records
  // Bytes for tokens; nothing: 2 GB, or 80 % of what is available where that is less.
  std::optional<std::uint64_t> memory = {};
};

// All texts with at least one token, in the order of reading. Inputs are files as `sextant
// tokenize` takes them, or one "synthetic:...".
//
// Labels are numbered in the order of their bytes. Ids of the tokenizer "words" are numbered by
// frequency, ties in the order of their bytes; words beyond `vocabulary` share the id after the
// last. [MASK], [PAD] and [CLS] have their own ids where the vocabulary has them and no text does,
// else ids above all others. With labels the hash is the one that groups give.
//
// Throws kUsage for options that do not fit, kMalformed for records without tokens or without a
// label, kRefused before the tokens outgrow the memory, and what readers and tokenizers throw.
std::shared_ptr<const TokenCorpus> read_token_corpus(const TrialCorpus& corpus,
                                                     const CorpusReading& reading = {});

// Training and test data. The side of a sequence depends on its tokens and on the seed, so that
// equal sequences are on one side; `test_share` is that of different sequences, and neither side is
// empty. Throws kUsage unless 0 < test_share < 1, kMalformed where all sequences are equal.
std::pair<TokenCorpus, TokenCorpus> split_corpus(const TokenCorpus& corpus, double test_share,
                                                 std::uint64_t seed);

}  // namespace sextant
