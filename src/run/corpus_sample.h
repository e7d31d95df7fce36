// SPDX-License-Identifier: Apache-2.0
// The beginning of a corpus, read and counted to see how its counts grow.
#pragma once

#include "corpus/records.h"
#include "run/cost_plan.h"
#include "sextant/corpus.h"

namespace sextant {

struct SampleLimits {
  std::size_t text_bytes = std::size_t{64} << 20;
  double seconds = 0.3;  // of reading and tokenizing; counting takes up to ten times as long
};

struct SampledCorpus {
  CorpusSample sample = {};
  double total_bytes = 0.0;  // of the files; 0: unknown
  bool whole = false;        // the sample is all of them
  bool long_enough = true;   // some sequence counts; otherwise assume_long_sequences() was used
};

// Throws kMalformed where the sample has fewer than two records or no token, and whatever reader
// and tokenizer throw.
SampledCorpus sample_corpus(RecordReader& reader, const Tokenizer& tokenizer,
                            const CountOptions& options, const SampleLimits& limits = {});

}  // namespace sextant
