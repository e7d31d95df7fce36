// SPDX-License-Identifier: Apache-2.0
// Files read in shards: together they are the corpus, whatever it looks like.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "corpus/records.h"
#include "support/compressed.h"
#include "support/read_records.h"

namespace sextant {
namespace {

struct ShardRecords {
  std::vector<std::string> records;  // "file|text|group", sorted
  ReadLog log;
};

void read_shard(const std::vector<std::filesystem::path>& paths, const RecordOptions& options,
                ShardRecords& found) {
  const auto reader = open_records(paths, options);
  for (RecordBatch batch; reader->next(batch);) {
    for (const RecordBatch::Record& record : batch.records)
      found.records.push_back(std::to_string(record.file) + "|" + std::string(batch.text(record)) +
                              "|" + std::string(batch.group(record)));
  }
  if (options.shard.index == 0)
    found.log = reader->log();
  else
    found.log.merge(reader->log());
}

ShardRecords read_shards(const std::vector<std::filesystem::path>& paths, RecordOptions options,
                         Index count) {
  ShardRecords found;
  for (Index index = 0; index < count; ++index) {
    options.shard = {index, count};
    read_shard(paths, options, found);
  }
  std::sort(found.records.begin(), found.records.end());
  return found;
}

void expect_union(const std::vector<std::filesystem::path>& paths, const RecordOptions& options) {
  const ShardRecords whole = read_shards(paths, options, 1);
  for (const Index count : {2, 3, 4, 5, 6, 7, 50}) {
    const ShardRecords shards = read_shards(paths, options, count);
    EXPECT_EQ(shards.records, whole.records) << count;
    EXPECT_EQ(shards.log, whole.log) << count << testing::PrintToString(shards.log.notes());
  }
}

void expect_union(std::string_view name, std::string_view content,
                  const RecordOptions& options = {}) {
  const TemporaryDirectory folder;
  expect_union({folder.write(name, content)}, options);
}

TEST(Shards, OfTextsAreTheTexts) {
  expect_union("x.txt", "one line\n");
  expect_union("x.txt", "no final newline\nb");
  expect_union("x.txt", "a\nbb\nccc\n\n\ndddd\ne\n");
  expect_union("x.txt", "\r\n\r\na\r\nbb\r\n\r\nccc");
  expect_union("x.txt", "a\rbb\r\rccc\r\nd\n\re\r");
  expect_union("x.txt",
               "\xEF\xBB\xBF"
               "marked\nb\nc\n");
  expect_union("x.txt", std::string(30, '\n') + "a" + std::string(30, '\r'));
}

TEST(Shards, KeepWhatOnlyLooksLikeTheStartOfAFile) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += "\xEF\xBB\xBFinner\nPK\x03\x04 zip\nGGUF\n";
  text.insert(0, "first\n");
  expect_union("x.txt", text);
}

TEST(Shards, LeaveOutBadRecordsOnce) {
  std::string text;
  for (int i = 0; i < 30; ++i)
    text += i % 3 == 0 ? "bad \xFF\n" : "good " + std::to_string(i) + "\n";
  expect_union("x.txt", text, {.skip_bad = 10});
  expect_union("x.txt", text, {.invalid = InvalidBytes::kReplace});
  std::string lines;
  for (int i = 0; i < 30; ++i) lines += i % 4 == 1 ? "{\"text\": 1}\r\n" : "{\"text\": \"t\"}\r\n";
  expect_union("x.jsonl", lines, {.skip_bad = 8});
  std::string rows = "a\tb\n";
  for (int i = 0; i < 30; ++i) rows += i % 5 == 2 ? "x\ty\tz\n" : std::to_string(i) + "\tw\n";
  expect_union("x.tsv", rows, {.skip_bad = 6});
  expect_union("x.tsv.gz", gzip(rows), {.skip_bad = 6});
}

TEST(Shards, TakeTheColumnsFromTheFirstRowOfTheFile) {
  std::string rows = "\n\r\nlabel\ttext\textra\n";
  for (int i = 0; i < 20; ++i)
    rows += "g" + std::to_string(i % 3) + "\tt" + std::to_string(i) + "\te\n";
  expect_union("x.tsv", rows, {.text_column = "text", .group_column = "label"});
  expect_union("x.tsv", rows, {.text_column = "2", .group_column = "1"});
  expect_union("x.tsv", rows);
  // The header lies in the last shards.
  expect_union("x.tsv", std::string(200, '\n') + "text\tb\nx\ty\n", {.text_column = "text"});
  expect_union("x.csv", "text,b\n\"x\ny\",z\nu,v\n1,2\n3,4\n", {.text_column = "text"});
}

TEST(Shards, OfSeveralFilesOfAllKindsAreTheCorpus) {
  const TemporaryDirectory folder;
  std::string large, rows = "a\tb\n";
  for (int i = 0; i < 60; ++i) large += "line " + std::to_string(i) + "\n";
  for (int i = 0; i < 9; ++i) rows += "k\tv" + std::to_string(i) + "\n";
  std::string random;
  for (unsigned i = 0, x = 1; i < 900; ++i)
    random += static_cast<char>('a' + (x = x * 69069 + 1) / 65536 % 26);
  const std::vector<std::filesystem::path> paths = {
      folder.write("a.txt", large),
      folder.write("b.tsv", rows),
      folder.write("c.txt.gz", gzip("one\ntwo\r\n\nthree\n")),
      folder.write("d.csv", "p,q\n\"r\n\",s\n"),
      folder.write("e.jsonl", "{\"text\": \"json\"}\n\n{\"text\": \"more\"}"),
      folder.write("f.txt.zst", zstd(random + "\nlarge\n\n" + random + "\n")),
      folder.write("g.txt", "x\n")};
  expect_union(paths, {});
}

// A batch of one who keeps few records must not read the file to its end.
TEST(Shards, PassOverNoMoreThanABatchOfOthersAtATime) {
  const TemporaryDirectory folder;
  std::string foreign, text;
  for (std::uint32_t i = 0, x = 1; i <= kBatchBytes; ++i)
    foreign += static_cast<char>('a' + (x = x * 69069 + 1) / 65536 % 26);
  for (const char* own : {"\none\n", "\ntwo\n"}) text += foreign + own;
  const auto path = folder.write("x.txt.zst", zstd(text + foreign + "\n"));
  const auto reader = open_records({path}, {.shard = {1, 2}});
  Strings batches;
  std::vector<std::uint64_t> read;
  for (RecordBatch batch; reader->next(batch); read.push_back(reader->progress().bytes_read)) {
    batches.emplace_back();
    for (const RecordBatch::Record& record : batch.records) batches.back() += batch.text(record);
  }
  EXPECT_EQ(batches, (Strings{"", "one", "two"}));
  EXPECT_LT(read.at(0), read.at(1));
  EXPECT_LT(read.at(1), read.at(2));
  EXPECT_EQ(reader->progress().bytes_read, reader->progress().bytes_total);
  RecordBatch none;
  EXPECT_FALSE(reader->next(none));
  EXPECT_EQ(read_shards({path}, {}, 2).records, read_shards({path}, {}, 1).records);
}

TEST(Shards, NumberLinesAsTheFileDoes) {
  const TemporaryDirectory folder;
  std::string text;
  for (int i = 1; i < 40; ++i) text += "line " + std::to_string(i) + (i % 2 == 0 ? "\n" : "\r\n");
  const std::size_t offset = text.size() + 4;
  const auto path = folder.write("x.txt", text + "bad \xFF\nlast\n");
  expect_error(ErrorCode::kMalformed,
               path.string() + ":40: invalid UTF-8 at offset " + std::to_string(offset), [&] {
                 read_records({path}, {.shard = {2, 3}});
               });
  std::string rows = "a\tb\n";
  for (int i = 2; i < 40; ++i) rows += "c\td\n";
  const auto table = folder.write("x.tsv", rows + "e\n");
  expect_error(ErrorCode::kMalformed, ":40: 1 columns; expected 2 as in line 1", [&] {
    read_records({table}, {.shard = {4, 5}});
  });
}

TEST(Shards, TogetherAllowAsManyBadRecordsAsTheWhole) {
  const TemporaryDirectory folder;
  const auto path = folder.write("x.txt", "a\n\xFF\nb\nc\n\xFE\nd\n");
  read_shards({path}, {.skip_bad = 2}, 2);
  expect_error(ErrorCode::kMalformed, "more than 1 bad records in all shards; left out input 1:2:",
               [&] { read_shards({path}, {.skip_bad = 1}, 2); });
}

TEST(Shards, KnowTheirInputsWithoutTheirPaths) {
  const TemporaryDirectory folder;
  const auto a = folder.write("a.txt", "one\ntwo\n"), b = folder.write("b.txt", "one\ntwo\n");
  const auto c = folder.write("c.txt", "one\ntwx\n");
  const auto part = [](const std::filesystem::path& path, const RecordOptions& options) {
    return open_records({path}, options)->part();
  };
  const CorpusPart first = part(a, {.group_column = {}, .shard = {0, 2}});
  EXPECT_EQ(first.shards, 2);
  EXPECT_EQ(first.present, std::vector<Index>{0});
  EXPECT_EQ(first.inputs.at(0).size, 8U);
  EXPECT_EQ(first.inputs.at(0).fingerprint, part(b, {}).inputs.at(0).fingerprint);
  EXPECT_NE(first.inputs.at(0).fingerprint, part(c, {}).inputs.at(0).fingerprint);
  EXPECT_EQ(part(a, {.invalid = InvalidBytes::kReplace}).reading, Strings{"--invalid replace"});
}

TEST(Shards, RefuseWhatCannotBeCut) {
  const TemporaryDirectory folder;
  const auto path = folder.write("x.txt", "a\nb\n");
  expect_error(ErrorCode::kUsage, "--limit: does not go with shards", [&] {
    open_records({path}, {.limit = 1, .shard = {0, 2}});
  });
  expect_error(ErrorCode::kUsage, "stdin cannot be cut", [&] {
    open_records({"-"}, {.shard = {0, 2}});
  });
  expect_error(ErrorCode::kUsage, "--shard", [&] { open_records({path}, {.shard = {2, 2}}); });
  expect_error(ErrorCode::kMalformed, "empty.txt: empty", [&] {
    open_records({path, folder.write("empty.txt", "")}, {.shard = {0, 2}});
  });
}

TEST(Shards, AllRefuseAFileAboveTheLimit) {
  const TemporaryDirectory folder;
  const auto small = folder.write("s.txt", "x\n");
  for (const char* name : {"x.txt", "x.tsv"}) {
    const auto path = folder.write(name, "a\tb\nc\td\ne\tf\ng\th\n");  // 16 bytes
    for (Index index = 0; index < 4; ++index) {
      RecordOptions options = {.most_bytes = 15, .shard = {index, 4}};
      expect_error(ErrorCode::kRefused, "more than 15 bytes of content, the limit of one file",
                   [&] {
                     open_records({small, path}, options);
                   });
      options.most_bytes = 16;
      EXPECT_NO_THROW(read_records({small, path}, options));
    }
  }
}

TEST(Shards, SeeAFileWithoutRecordsWhereOneReadsItWhole) {
  const TemporaryDirectory folder;
  const auto text = folder.write("x.txt", std::string(50, 'a') + "\n");
  const auto blank = folder.write("y.txt", "\n\n");
  expect_error(ErrorCode::kMalformed, "y.txt: no records", [&] {
    read_shards({text, blank}, {}, 2);
  });
  const auto packed = folder.write("z.txt.gz", gzip("\n\n\n"));
  expect_error(ErrorCode::kMalformed, "z.txt.gz: no records", [&] {
    read_records({packed}, {.shard = {3, 4}});
  });
}

}  // namespace
}  // namespace sextant
