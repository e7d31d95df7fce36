// SPDX-License-Identifier: Apache-2.0
#include "corpus/counts_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "corpus/counter.h"
#include "support/expect_error.h"
#include "support/small_corpus.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

CountsFile example() {
  MemoryReader reader({{"a b c d e f g h i"}, {"b a b"}, {"a a", "g"}}, 2);
  GrowingWords words;
  CountsFile file;
  file.counts =
      count_corpus(reader, words, {.positions = 4, .length = LengthRule::kAny, .shuffles = 2})
          .counts;
  file.tokens = words.learned_tokens();
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
  write_counts(folder / "x.counts", example(), AtomicFile::Existing::kKeep);
  const std::string good = content_of(folder / "x.counts");
  const auto reject = [&](const std::string& bad) {
    folder.write("bad", bad);
    try {
      read_counts(folder / "bad");
    } catch (const Error& error) {
      return error.code() == ErrorCode::kMalformed;
    }
    return false;
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << i % 8));
    ASSERT_TRUE(reject(bad)) << "byte " << i;
    bad[i] = static_cast<char>(~good[i]);
    ASSERT_TRUE(reject(bad)) << "byte " << i;
  }
  for (std::size_t size = 0; size < good.size(); ++size)
    ASSERT_TRUE(reject(good.substr(0, size))) << "length " << size;
  EXPECT_TRUE(reject(good + '\0'));
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
