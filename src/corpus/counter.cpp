// SPDX-License-Identifier: Apache-2.0
// Rounds: in a round all threads take pieces of records from the reader until a checkpoint is due,
// the run is to stop or the records end; then their counts are added up. What was taken is counted,
// so that the sum at the end of a round is that of the first records of the input.
#include "corpus/counter.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/text.h"
#include "corpus/checkpoint.h"
#include "corpus/positional_counts.h"
#include "corpus/run_sample.h"
#include "corpus/sequence_counter.h"

namespace sextant {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kTokenizerSeed = 0x766F636162000008;

struct Piece {
  std::shared_ptr<const RecordBatch> batch;
  std::size_t first = 0, last = 0;
};

// Cuts batches into pieces. Not for several threads at once.
class Pieces {
 public:
  explicit Pieces(RecordReader& reader) : reader_(reader) {}

  // At most `most_records`, about `most_bytes` of text; none where a batch has none, so that the
  // caller can look around. False at the end.
  bool next(std::size_t most_bytes, std::int64_t most_records, Piece& piece) {
    if (!batch_ || next_ == batch_->records.size()) {
      auto batch = std::make_shared<RecordBatch>();
      if (!reader_.next(*batch)) return false;
      batch_ = std::move(batch);
      next_ = 0;
    }
    piece = {.batch = batch_, .first = next_, .last = next_};
    if (batch_->records.empty()) return true;
    std::size_t bytes = 0;
    do {
      bytes += batch_->records[next_++].text_size + 1;
    } while (next_ < batch_->records.size() && bytes < most_bytes &&
             next_ - piece.first < static_cast<std::uint64_t>(most_records));
    piece.last = next_;
    tally(piece);
    return true;
  }

  // Of each input, taken so far.
  std::span<const std::int64_t> records() const { return records_; }

 private:
  void tally(const Piece& piece) {
    for (std::size_t i = piece.first; i < piece.last; ++i) {
      const std::uint32_t input = piece.batch->records[i].file;
      if (input >= records_.size()) records_.resize(std::size_t{input} + 1);
      ++records_[input];
    }
  }

  RecordReader& reader_;
  std::shared_ptr<const RecordBatch> batch_;
  std::size_t next_ = 0;
  std::vector<std::int64_t> records_;
};

class CorpusCounter {
 public:
  CorpusCounter(RecordReader& reader, Tokenizer& tokenizer, const CountOptions& options,
                const CountRun& run)
      : reader_(reader),
        tokenizer_(tokenizer),
        run_(run),
        pieces_(reader),
        threads_(std::max<Index>(run.threads, 1)),
        memory_(run.memory.value_or(available_memory().value_or(std::uint64_t{1} << 40) / 10 * 8)) {
    total_ = uncounted(reader, tokenizer, options);
    if (run.folder.empty()) return;
    checkpoints_ = std::make_unique<Checkpoints>(run.folder);
    if (run.resume)
      resume();
    else
      checkpoints_->remove_all();
  }

  CountOutcome count() {
    if (left_resuming_)
      return {.file = std::move(total_), .stopped = true, .notes = std::move(notes_)};
    make_counters();
    do {
      due_ = Clock::now() + wait_;
      taken_ = 0;
      parallel_for(threads_, threads_, [this](Index first, Index last) {
        for (Index worker = first; worker < last; ++worker) work(worker);
      });
      for (auto& counter : counters_) merge(total_.counts, counter->take());
      note_reading();
      save();
    } while (!finished_ && !stopping());
    if (finished_) finish();
    return {.file = std::move(total_), .stopped = !finished_, .notes = std::move(notes_)};
  }

 private:
  bool stopping() const { return run_.stop != nullptr && run_.stop->load(); }

  void make_counters() {
    const CountingIds ids(tokenizer_, total_.counts.options);
    const std::uint64_t limit = gather_limit(memory_, threads_);
    bytes_.assign(static_cast<std::size_t>(threads_), 0);
    for (Index i = 0; i < threads_; ++i) {
      counters_.push_back(
          std::make_unique<SequenceCounter>(tokenizer_, total_.counts.options, ids, limit));
    }
  }

  // One thread of a round.
  void work(Index worker) {
    SequenceCounter& counter = *counters_[static_cast<std::size_t>(worker)];
    try {
      for (Piece piece; take(piece);) {
        const std::int64_t sequences = counter.sequences(), tokens = counter.tokens();
        for (std::size_t i = piece.first; i < piece.last; ++i) {
          const RecordBatch::Record& record = piece.batch->records[i];
          counter.count(piece.batch->text(record), piece.batch->group(record));
        }
        note_progress(worker, counter.sequences() - sequences, counter.tokens() - tokens);
      }
    } catch (...) {
      failed_ = true;
      throw;
    }
  }

  bool take(Piece& piece) {
    const std::lock_guard lock(mutex_);
    const bool due = checkpoints_ && taken_ > 0 && Clock::now() >= due_;
    if (failed_ || finished_ || due || stopping()) return false;
    ++taken_;
    finished_ = !pieces_.next(run_.piece_bytes, kAllRecords, piece);
    return !finished_;
  }

  void note_progress(Index worker, std::int64_t sequences, std::int64_t tokens) {
    const std::lock_guard lock(mutex_);
    progress_.sequences += sequences;
    progress_.tokens += tokens;
    bytes_[static_cast<std::size_t>(worker)] = counters_[static_cast<std::size_t>(worker)]->bytes();
    std::uint64_t bytes = total_.counts.blocks.bytes() + total_.counts.shuffled.bytes();
    for (const std::uint64_t part : bytes_) bytes += part;
    if (bytes > memory_)
      fail(ErrorCode::kRefused, "counts",
           "{:.2f} GB after {} sequences, have {:.2f} GB; fewer positions, fewer shuffles or a "
           "smaller vocabulary need less",
           static_cast<double>(bytes) * 1e-9, progress_.sequences,
           static_cast<double>(memory_) * 1e-9);
    if (!run_.progress) return;
    progress_.read = reader_.progress();
    run_.progress(progress_);
  }

  // What the reader tells beside the records.
  void note_reading() {
    total_.log = reader_.log();
    total_.counts.skipped = total_.log.skipped;
    std::vector<CountedInput>& inputs = total_.part.inputs;
    const std::span<const std::int64_t> records = pieces_.records();
    inputs.resize(std::max({inputs.size(), records.size(), std::size_t{1}}));
    for (std::size_t i = 0; i < records.size(); ++i) inputs[i].records = records[i];
  }

  // A disk that is full now may not be later: the run goes on and asks less and less often.
  void save() {
    if (!checkpoints_) return;
    total_.tokens = tokenizer_.learned_tokens();
    try {
      checkpoints_->write(total_);
      wait_ = run_.interval;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kUnwritable) throw;
      --total_.generation;
      wait_ = 2 * std::max<Clock::duration>(wait_, std::chrono::seconds(1));
      if (!std::exchange(noted_unwritable_, true))
        notes_.push_back(fmt::format("a checkpoint could not be written: {}", error.what()));
    }
  }

  void resume() {
    std::optional<CountsFile> saved = checkpoints_->newest(notes_);
    if (!saved) {
      notes_.push_back("no checkpoint was written before: the run starts from the beginning");
      return;
    }
    check_same_run(*saved, total_, run_.folder);
    if (!saved->tokens.empty()) tokenizer_.restore(saved->tokens);
    std::array<std::uint64_t, 2> found = {};
    std::int64_t left = saved->counts.records;
    for (Piece piece; left > 0 && pieces_.next(run_.piece_bytes, left, piece);) {
      if ((left_resuming_ = stopping())) return;
      for (std::size_t i = piece.first; i < piece.last; ++i) {
        const RecordBatch::Record& record = piece.batch->records[i];
        add_record(found, hash_record(piece.batch->text(record), piece.batch->group(record)));
      }
      left -= static_cast<std::int64_t>(piece.last - piece.first);
    }
    if (left > 0 || found != saved->counts.input_hash || !is_of_inputs(saved->part, total_.part))
      fail(ErrorCode::kCheckpoint, path_text(run_.folder),
           "the input differs from the one that the checkpoint was made of");
    total_ = std::move(*saved);
    progress_ = {.read = {}, .sequences = total_.counts.sequences, .tokens = total_.counts.tokens};
  }

  // Ids that do not depend on the order of reading.
  void finish() {
    PositionalCounts& counts = total_.counts;
    const CountingIds ids(tokenizer_, counts.options);
    const std::vector<TokenId> names = ids.final_names(tokenizer_);
    counts.blocks = counts.blocks.renamed(names);
    counts.shuffled = counts.shuffled.renamed(names);
    counts.vocabulary = counted_tokens(counts);
    counts.overlap = overlap_of(counts.runs);
    total_.tokens = tokenizer_.learned_tokens();
    std::ranges::sort(total_.tokens);
    total_.generation = 0;
    total_.finished = true;
  }

  static constexpr std::int64_t kAllRecords = std::numeric_limits<std::int64_t>::max();

  RecordReader& reader_;
  Tokenizer& tokenizer_;
  const CountRun& run_;
  Pieces pieces_;
  Index threads_;
  std::uint64_t memory_;
  std::unique_ptr<Checkpoints> checkpoints_;
  CountsFile total_;
  std::vector<std::string> notes_;
  bool left_resuming_ = false;  // asked to stop while it read what is counted already
  bool noted_unwritable_ = false;
  Clock::duration wait_ = run_.interval;
  Clock::time_point due_ = {};
  std::vector<std::unique_ptr<SequenceCounter>> counters_;

  std::mutex mutex_;  // for what threads share in a round: pieces_ to bytes_ below
  bool finished_ = false;
  Index taken_ = 0;  // pieces of this round: a round has at least one
  std::atomic<bool> failed_ = false;
  CountProgress progress_;
  std::vector<std::uint64_t> bytes_;
};

}  // namespace

// Below the lower bound packing would be all that is done.
std::uint64_t gather_limit(std::uint64_t memory, Index threads) {
  return std::clamp(memory / (8 * static_cast<std::uint64_t>(threads)), std::uint64_t{8} << 20,
                    std::uint64_t{256} << 20);
}

std::uint64_t tokenizer_hash(const Tokenizer& tokenizer) {
  std::uint64_t result = hash(tokenizer.name(), kTokenizerSeed);
  for (Index id = 0; id < tokenizer.vocabulary(); ++id)
    result = mixed(result, hash(tokenizer.text(static_cast<TokenId>(id)), kTokenizerSeed));
  return result;
}

CountsFile uncounted(const RecordReader& reader, const Tokenizer& tokenizer,
                     const CountOptions& options) {
  CountsFile file;
  file.counts = empty_counts(options);
  file.counts.tokenizer = tokenizer.name();
  file.counts.tokenizer_hash = tokenizer_hash(tokenizer);
  file.part = reader.part();
  file.log.skip_bad = reader.log().skip_bad;
  file.notes = tokenizer.notes();
  return file;
}

CountOutcome count_corpus(RecordReader& reader, Tokenizer& tokenizer, const CountOptions& options,
                          const CountRun& run) {
  check_count_options(options);
  return CorpusCounter(reader, tokenizer, options, run).count();
}

void remove_checkpoints(const std::filesystem::path& folder) {
  std::error_code ignored;  // a folder that holds something else stays
  if (!std::filesystem::exists(folder, ignored)) return;
  Checkpoints(folder).remove_all();
  std::filesystem::remove(folder, ignored);
}

}  // namespace sextant
