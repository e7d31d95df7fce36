// SPDX-License-Identifier: Apache-2.0
// Counts records, one after the other, in one thread.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "corpus/run_sample.h"
#include "corpus/sequence_batch.h"
#include "sextant/corpus.h"

namespace sextant {

// Ids while counting. A vocabulary that may still grow has no end for special tokens that it lacks:
// they take the ids from 0 on and all others move up by `shift`.
struct CountingIds {
  CountingIds(const Tokenizer& tokenizer, const CountOptions& options);
  TokenId start = 0, end = 1, padding = 2;
  TokenId shift = 0;

  // What each id is called in the end: canonical ids, special tokens behind the vocabulary.
  std::vector<TokenId> final_names(const Tokenizer& tokenizer) const;
};

struct RecordHash {
  std::uint64_t text = 0, check = 0;  // two independent hashes
  std::uint64_t group = 0;
};
// A record without a group is its own group.
RecordHash hash_record(std::string_view text, std::string_view group);
void add_record(std::array<std::uint64_t, 2>& input_hash, const RecordHash& record);

class SequenceCounter {
 public:
  // REQUIRES: check_count_options(); `tokenizer` lives longer.
  SequenceCounter(const Tokenizer& tokenizer, const CountOptions& options, const CountingIds& ids,
                  std::uint64_t gather_limit);

  void count(std::string_view text, std::string_view group);

  // Everything since the last call; overlap and vocabulary are left to the sum.
  PositionalCounts take();
  std::uint64_t bytes() const {
    return counts_.blocks.bytes() + counts_.shuffled.bytes() + batch_.bytes();
  }
  std::int64_t sequences() const { return counts_.sequences; }
  std::int64_t tokens() const { return counts_.tokens; }

 private:
  void count_sequence(std::span<const TokenId> content, std::size_t block, std::uint64_t group,
                      std::uint64_t key);
  void count_batch();
  void sample_runs(std::span<const TokenId> content, std::uint64_t group);
  std::uint64_t token_hash(TokenId id);
  void start_again();

  const Tokenizer& tokenizer_;
  CountOptions options_;
  CountingIds ids_;
  std::uint64_t gather_limit_;
  std::unique_ptr<TokenizerSession> session_;
  Index most_;  // content tokens of a sequence
  PositionalCounts counts_;
  std::vector<std::array<std::int64_t, kBlocks>> ends_;  // used sequences by counted length
  RunSample sample_;
  std::vector<std::uint64_t> token_hashes_;  // 0: not known yet
  std::vector<std::uint64_t> prefix_;
  std::vector<TokenId> content_, row_;
  SequenceBatch batch_;
};

}  // namespace sextant
