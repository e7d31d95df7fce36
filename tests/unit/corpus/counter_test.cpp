// SPDX-License-Identifier: Apache-2.0
#include "corpus/counter.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "base/rng.h"
#include "corpus/counts_file.h"
#include "support/expect_error.h"
#include "support/small_corpus.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

constexpr CountOptions kOptions = {.positions = 6, .length = LengthRule::kAny, .shuffles = 3};

std::vector<TextRecord> records() {
  std::vector<TextRecord> result;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const Rng rng(5, i);
    TextRecord record = {.text = {}, .group = i % 4 == 0 ? "g" + std::to_string(i / 8) : ""};
    for (std::uint64_t k = 1; k <= rng.at(0) % 14; ++k)
      record.text += "t" + std::to_string(rng.at(k) % (k + 9)) + " ";
    result.push_back(record);
  }
  return result;
}

// The bytes of a file of the counts: equal bytes are equal in everything.
std::string bytes_of(const PositionalCounts& counts) {
  const TemporaryDirectory folder;
  write_counts(folder / "counts", {.counts = counts}, AtomicFile::Existing::kKeep);
  return content_of(folder / "counts");
}

CountOutcome counted(const std::vector<TextRecord>& input, std::size_t batch, const CountRun& run,
                     const CountOptions& options = kOptions) {
  MemoryReader reader(input, batch);
  GrowingWords words;
  return count_corpus(reader, words, options, run);
}

std::string plain() { return bytes_of(counted(records(), 1000, {}).file.counts); }

TEST(CountCorpus, GivesTheSameBytesForAnyThreadsBatchesAndOrder) {
  const std::string expected = plain();
  for (const Index threads : {1, 2, 5}) {
    for (const std::size_t batch : {1U, 7U, 1000U}) {
      std::vector<TextRecord> turned = records();
      std::reverse(turned.begin(), turned.end());
      const CountRun run = {.threads = threads, .piece_bytes = 40};
      EXPECT_EQ(bytes_of(counted(records(), batch, run).file.counts), expected);
      EXPECT_EQ(bytes_of(counted(turned, batch, run).file.counts), expected);
    }
  }
}

// Every other batch has no record; the corpus goes on behind it.
class GappedReader final : public RecordReader {
 public:
  explicit GappedReader(std::size_t batch) : reader_(records(), batch) {}
  bool next(RecordBatch& batch) override {
    batch = {};
    return ++calls_ % 2 == 1 || reader_.next(batch);
  }
  ReadProgress progress() const override { return reader_.progress(); }
  int calls() const { return calls_; }

 private:
  MemoryReader reader_;
  int calls_ = 0;
};

TEST(CountCorpus, GoesOnBehindAnEmptyBatch) {
  for (const Index threads : {1, 3}) {
    GappedReader reader(7);
    GrowingWords words;
    const CountOutcome outcome = count_corpus(reader, words, kOptions, {.threads = threads});
    EXPECT_FALSE(outcome.stopped);
    EXPECT_EQ(bytes_of(outcome.file.counts), plain());
  }
}

TEST(CountCorpus, StopsAtAnEmptyBatchToo) {
  std::atomic<bool> stop = false;
  CountRun run = {.stop = &stop};
  run.progress = [&](const CountProgress&) { stop = true; };
  GappedReader reader(7);
  GrowingWords words;
  const CountOutcome outcome = count_corpus(reader, words, kOptions, run);
  EXPECT_TRUE(outcome.stopped);
  EXPECT_EQ(outcome.file.counts.records, 0);
  EXPECT_EQ(reader.calls(), 1);
}

TEST(CountCorpus, SpecialTokensComeAfterTheVocabulary) {
  const PositionalCounts counts = counted({{"b a"}, {"a"}}, 9, {},
                                          {.positions = 5,
                                           .length = LengthRule::kPadded,
                                           .specials = Specials::kBert,
                                           .shuffles = 0})
                                      .file.counts;
  std::vector<TokenId> tokens;
  counts.blocks.for_each([&](const Cell& cell) {
    if (tokens.empty() || tokens.back() != cell.token) tokens.push_back(cell.token);
  });
  EXPECT_EQ(tokens, (std::vector<TokenId>{0, 1, 2, 3, 4}));  // a b [CLS] [SEP] [PAD]
  EXPECT_EQ(counts.vocabulary, 5);
}

TEST(CountCorpus, OfNothingIsNothing) {
  const CountOutcome outcome = counted({}, 9, {});
  EXPECT_EQ(outcome.file.counts.used, 0);
  EXPECT_EQ(outcome.file.counts.sequences, 0);
  EXPECT_FALSE(outcome.stopped);
}

TEST(CountCorpus, ReportsWhatItHasRead) {
  CountProgress last;
  CountRun run = {.threads = 3, .piece_bytes = 10};
  run.progress = [&](const CountProgress& progress) {
    EXPECT_GE(progress.sequences, last.sequences);
    last = progress;
  };
  const PositionalCounts counts = counted(records(), 4, run).file.counts;
  EXPECT_EQ(last.sequences, counts.sequences);
  EXPECT_EQ(last.tokens, counts.tokens);
  EXPECT_EQ(last.read.bytes_read, last.read.bytes_total);
}

TEST(CountCorpus, RefusesWhatDoesNotFit) {
  expect_error(ErrorCode::kRefused, "GB after",
               [] { counted(records(), 4, {.memory = 100, .piece_bytes = 10}); });
}

// Stops after every piece in turn and goes on with another number of threads and other batches.
TEST(CountCorpus, ResumesAfterAnyPieceToTheSameBytes) {
  const std::string expected = plain();
  for (int stop_after = 0; stop_after < 70; stop_after += 3) {
    const TemporaryDirectory folder;
    std::atomic<bool> stop = stop_after == 0;
    int pieces = 0;
    CountRun run = {.stop = &stop, .folder = folder / "saved", .piece_bytes = 1};
    run.progress = [&](const CountProgress&) { stop = ++pieces >= stop_after; };
    const CountOutcome first = counted(records(), 7, run);
    EXPECT_EQ(first.stopped, stop_after <= 60);
    EXPECT_EQ(first.file.counts.records, std::min(stop_after, 60));
    const CountRun again = {.threads = 2, .folder = folder / "saved", .resume = true};
    const CountOutcome second = counted(records(), 9, again);
    EXPECT_FALSE(second.stopped);
    EXPECT_EQ(bytes_of(second.file.counts), expected) << stop_after;
  }
}

// A checkpoint after every piece, and a copy of the folder as it lay at that time: what a killed
// process leaves behind.
TEST(CountCorpus, ResumesFromWhatAKilledRunLeft) {
  const std::string expected = plain();
  const TemporaryDirectory folder;
  int copies = 0;
  CountRun run = {.folder = folder / "saved", .interval = {}, .piece_bytes = 300};
  const auto name = [](int number) { return "copy" + std::to_string(number); };
  run.progress = [&](const CountProgress&) {
    std::filesystem::copy(folder / "saved", folder / name(copies++));
  };
  EXPECT_EQ(bytes_of(counted(records(), 11, run).file.counts), expected);
  ASSERT_GT(copies, 5);
  for (int i = 0; i < copies; ++i) {
    const CountRun again = {.threads = 2, .folder = folder / name(i), .resume = true};
    EXPECT_EQ(bytes_of(counted(records(), 1000, again).file.counts), expected) << i;
  }
}

class SavedRun : public testing::Test {
 protected:
  SavedRun() {
    std::atomic<bool> stop = false;
    int pieces = 0;
    CountRun run = {.stop = &stop, .folder = saved_, .interval = {}, .piece_bytes = 1};
    run.progress = [&](const CountProgress&) { stop = ++pieces == 30; };
    counted(records(), 7, run);
  }
  CountOutcome resumed(const std::vector<TextRecord>& input = records(),
                       const CountOptions& options = kOptions) const {
    return counted(input, 7, {.folder = saved_, .resume = true}, options);
  }

  TemporaryDirectory folder_;
  std::filesystem::path saved_ = folder_ / "saved";
};

TEST_F(SavedRun, RefusesAnotherInput) {
  std::vector<TextRecord> changed = records();
  changed[11].text += "more";
  expect_error(ErrorCode::kCheckpoint, "input differs", [&] { resumed(changed); });
  changed = records();
  changed[12].group += "more";
  expect_error(ErrorCode::kCheckpoint, "input differs", [&] { resumed(changed); });
  changed.resize(20);
  expect_error(ErrorCode::kCheckpoint, "input differs", [&] { resumed(changed); });
}

TEST_F(SavedRun, RefusesOtherOptionsAndNamesThem) {
  CountOptions other = kOptions;
  other.positions = 7;
  other.seed = 2;
  expect_error(ErrorCode::kCheckpoint, "positions was 6 and is 7, seed was 1 and is 2",
               [&] { resumed(records(), other); });
}

TEST_F(SavedRun, FallsBackToTheOlderGeneration) {
  const std::filesystem::path newest =
      read_counts(saved_ / "counts-a").generation > read_counts(saved_ / "counts-b").generation
          ? saved_ / "counts-a"
          : saved_ / "counts-b";
  std::filesystem::resize_file(newest, std::filesystem::file_size(newest) - 1);
  const CountOutcome outcome = resumed();
  EXPECT_EQ(bytes_of(outcome.file.counts), plain());
  ASSERT_EQ(outcome.notes.size(), 1u);
  EXPECT_NE(outcome.notes[0].find(newest.filename().string()), std::string::npos);
}

TEST_F(SavedRun, LeavesTwoBadGenerationsAlone) {
  for (const char* name : {"counts-a", "counts-b"})
    std::filesystem::resize_file(saved_ / name, 100);
  expect_error(ErrorCode::kCheckpoint, "no checkpoint is usable", [&] { resumed(); });
  EXPECT_EQ(std::filesystem::file_size(saved_ / "counts-a"), 100u);
}

TEST_F(SavedRun, IsReplacedByARunThatDoesNotResume) {
  counted({{"a"}}, 7, {.folder = saved_});
  expect_error(ErrorCode::kCheckpoint, "input differs", [&] { resumed(); });
  EXPECT_EQ(resumed({{"a"}}).file.counts.records, 1);
}

TEST_F(SavedRun, RemovesWhatDeadWritersLeft) {
  std::ofstream(saved_ / ".counts-a.12345.0.tmp") << "half";
  resumed();
  EXPECT_FALSE(std::filesystem::exists(saved_ / ".counts-a.12345.0.tmp"));
}

TEST_F(SavedRun, IsGoneAfterRemoval) {
  remove_checkpoints(saved_);
  EXPECT_FALSE(std::filesystem::exists(saved_ / "counts-a"));
  EXPECT_FALSE(std::filesystem::exists(saved_ / "counts-b"));
}

TEST(CountCorpus, StartsFromTheBeginningWhereNothingWasSaved) {
  const TemporaryDirectory folder;
  const CountOutcome outcome = counted(records(), 7, {.folder = folder / "new", .resume = true});
  EXPECT_EQ(bytes_of(outcome.file.counts), plain());
  EXPECT_EQ(outcome.notes.size(), 1u);
}

// A folder in the place of a checkpoint cannot be written over, whoever we are.
TEST(CountCorpus, GoesOnWhenACheckpointCannotBeWritten) {
  const TemporaryDirectory folder;
  CountRun run = {.folder = folder / "saved", .interval = {}, .piece_bytes = 300};
  bool blocked = false;
  run.progress = [&](const CountProgress&) {
    if (blocked) return;
    blocked = true;
    std::filesystem::create_directories(folder / "saved/counts-a/in-the-way");
    std::filesystem::create_directories(folder / "saved/counts-b/in-the-way");
  };
  const CountOutcome outcome = counted(records(), 7, run);
  EXPECT_EQ(bytes_of(outcome.file.counts), plain());
  EXPECT_EQ(outcome.notes.size(), 1u);
}

}  // namespace
}  // namespace sextant
