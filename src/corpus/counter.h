// SPDX-License-Identifier: Apache-2.0
// Counts a corpus: any number of threads, resumable, the same bits whatever happened on the way.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "corpus/counts_file.h"
#include "corpus/records.h"
#include "sextant/corpus.h"

namespace sextant {

struct CountProgress {
  ReadProgress read = {};
  std::int64_t sequences = 0, tokens = 0;
};

// How a corpus is counted; nothing here changes the counts.
struct CountRun {
  Index threads = 1;
  // Called after each piece of work, by one thread at a time, not always the same.
  std::function<void(const CountProgress&)> progress = {};
  const std::atomic<bool>* stop = nullptr;   // when true: finish the pieces at hand, save, return
  std::optional<std::uint64_t> memory = {};  // bytes for counts; nothing: 80 % of what is available

  // Checkpoints. The folder is made, locked and kept; the last checkpoint has all counts.
  std::filesystem::path folder = {};  // empty: none
  bool resume = false;                // otherwise old checkpoints are removed
  std::chrono::steady_clock::duration interval = std::chrono::seconds(30);
  std::size_t piece_bytes = std::size_t{256} << 10;  // text in one piece of work
};

struct CountOutcome {
  CountsFile file = {};
  bool stopped = false;                 // by CountRun::stop: `file` is not finished
  std::vector<std::string> notes = {};  // of the checkpoints
};

// Bytes that each of so many threads gathers of blocks, and of shuffles, before it packs them.
std::uint64_t gather_limit(std::uint64_t memory, Index threads);

// Of its name and of the vocabulary that it starts with.
std::uint64_t tokenizer_hash(const Tokenizer& tokenizer);

// The file of a count that has not begun: everything is there but the counts.
CountsFile uncounted(const RecordReader& reader, const Tokenizer& tokenizer,
                     const CountOptions& options);

// Counts all records of the reader's shard. With none that can be used, `used` is 0: the caller
// knows what to say. Throws kRefused when the counts outgrow the memory, kCheckpoint when a run
// cannot be resumed, and whatever the reader and the tokenizer throw.
CountOutcome count_corpus(RecordReader& reader, Tokenizer& tokenizer, const CountOptions& options,
                          const CountRun& run = {});

// After the results are safe. Nothing happens where there are none.
void remove_checkpoints(const std::filesystem::path& folder);

}  // namespace sextant
