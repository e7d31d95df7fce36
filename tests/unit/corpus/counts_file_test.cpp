// SPDX-License-Identifier: Apache-2.0
#include "corpus/counts_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "corpus/counter.h"
#include "corpus/counts_stream.h"
#include "support/expect_error.h"
#include "support/small_corpus.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

CountsFile counted(std::vector<TextRecord> records) {
  MemoryReader reader(std::move(records), 2);
  GrowingWords words;
  return count_corpus(reader, words, {.positions = 4, .length = LengthRule::kAny, .shuffles = 2})
      .file;
}

CountsFile example() {
  CountsFile file = counted({{"a b c d e f g h i"}, {"b a b"}, {"a a", "g"}});
  file.generation = 7;
  return file;
}

std::vector<std::byte> packed(const CellCounts& cells) {
  return {cells.packed().begin(), cells.packed().end()};
}

TEST(CountsFile, ReadsBackWhatWasWritten) {
  const TemporaryDirectory folder;
  const CountsFile file = example();
  write_counts(folder / "x.counts", file, AtomicFile::Existing::kKeep);
  const CountsFile back = read_counts(folder / "x.counts");
  EXPECT_EQ(back.tokens, file.tokens);
  EXPECT_EQ(back.generation, file.generation);
  const PositionalCounts &was = file.counts, &is = back.counts;
  EXPECT_EQ(is.options, was.options);
  EXPECT_EQ(packed(is.blocks), packed(was.blocks));
  EXPECT_EQ(packed(is.shuffled), packed(was.shuffled));
  EXPECT_EQ(is.blocks.cells(), was.blocks.cells());
  EXPECT_EQ(is.sequences_at, was.sequences_at);
  EXPECT_EQ(is.lengths, was.lengths);
  EXPECT_EQ(is.runs, was.runs);
  EXPECT_EQ(is.overlap, was.overlap);
  EXPECT_EQ(is.input_hash, was.input_hash);
  EXPECT_EQ(is.tokenizer, was.tokenizer);
  EXPECT_EQ(is.tokenizer_hash, was.tokenizer_hash);
  EXPECT_EQ(is.vocabulary, was.vocabulary);
  EXPECT_EQ(is.records, was.records);
  EXPECT_EQ(is.sequences, was.sequences);
  EXPECT_EQ(is.used, was.used);
  EXPECT_EQ(is.tokens, was.tokens);
  write_counts(folder / "y.counts", back, AtomicFile::Existing::kKeep);
  EXPECT_EQ(content_of(folder / "y.counts"), content_of(folder / "x.counts"));
}

TEST(CountsFile, NoticesEachFlippedByteAndEachLength) {
  const TemporaryDirectory folder;
  const std::filesystem::path path = folder / "x.counts";
  write_counts(path, example(), AtomicFile::Existing::kKeep);
  const std::string good = content_of(path);
  const auto rejected = [&] {
    try {
      read_counts(path);
    } catch (const Error& error) {
      return error.code() == ErrorCode::kMalformed;
    }
    return false;
  };
  // In place: a file written anew for each byte takes a hundred times as long.
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto put = [&](std::size_t at, int byte) {
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte)).flush();
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int flips : {1 << i % 8, 255}) {
      put(i, good[i] ^ flips);
      ASSERT_TRUE(rejected()) << "byte " << i;
    }
    put(i, good[i]);
  }
  put(good.size(), 0);
  EXPECT_TRUE(rejected());
  for (std::size_t size = good.size(); size-- > 0;) {
    std::filesystem::resize_file(path, size);
    ASSERT_TRUE(rejected()) << "length " << size;
  }
}

// With a checksum of its own a file can say anything; it must still agree with itself.
TEST(CountsFile, RefusesWhatDoesNotAddUp) {
  const TemporaryDirectory folder;
  const auto expect_refused = [&](const CountsFile& file, const char* what) {
    const auto path = folder / "forged.counts";
    write_counts(path, file, AtomicFile::Existing::kReplace);
    expect_error(ErrorCode::kMalformed, what, [&] { read_counts(path); });
    expect_error(ErrorCode::kMalformed, what, [&] { CountsStream stream(path); });
  };
  CountsFile file = example();
  ++file.counts.sequences_at[2][5];  // of which there are fewer than sequences
  expect_refused(file, "fewer tokens than sequences at position 2, layer 5");

  file = example();
  file.counts.blocks.add(0, 2, 7);
  file.counts.blocks.flush();
  expect_refused(file, "more tokens than sequences at position 2, layer 7");

  file = example();
  file.counts.shuffled.add(0, 3, 1);
  file.counts.shuffled.flush();
  expect_refused(file, "more tokens than sequences at position 3, layer 1");

  file = counted({{"a b c d"}, {"e f g h"}});
  file.tokens.resize(1);
  expect_refused(file, "token 7 is counted but 1 have a text");

  const auto expect_one_refused = [&](const char* what, const auto& forge) {
    CountsFile forged = example();
    forge(forged);
    expect_refused(forged, what);
  };
  constexpr const char* kControl = "a control character in a note";
  constexpr const char* kTotals = "totals that contradict each other";
  expect_one_refused(kControl, [](CountsFile& each) { each.notes = {"\x1b[2J"}; });
  expect_one_refused(kControl, [](CountsFile& each) { each.counts.tokenizer = "\x1b[2J"; });
  expect_one_refused("too long", [](CountsFile& each) { each.part.built_in.assign(5000, 'x'); });
  expect_one_refused("no shard", [](CountsFile& each) { each.part.present.clear(); });
  expect_one_refused(kTotals, [](CountsFile& each) { each.counts.records = 1 << 20; });
  expect_one_refused(kTotals, [](CountsFile& each) { each.counts.used = 1; });
  expect_one_refused(kTotals, [](CountsFile& each) { ++each.counts.lengths[1]; });
}

TEST(CountsFile, KeepsAnExistingFile) {
  const TemporaryDirectory folder;
  folder.write("x.counts", "mine");
  expect_error(ErrorCode::kUnwritable, "exists",
               [&] { write_counts(folder / "x.counts", example(), AtomicFile::Existing::kKeep); });
  EXPECT_EQ(content_of(folder / "x.counts"), "mine");
}

}  // namespace
}  // namespace sextant
