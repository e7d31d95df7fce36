// SPDX-License-Identifier: Apache-2.0
#include "corpus/records.h"

#include <gtest/gtest.h>

#include "support/compressed.h"
#include "support/expect_error.h"
#include "support/read_records.h"

namespace sextant {
namespace {

TEST(Records, OfATextAreItsLines) {
  const AllRecords all = read_text("a.txt", " one \n\ntwo\tx\n\xE2\x80\x83\nthree");
  EXPECT_EQ(all.texts, (Strings{" one ", "two\tx", "three"}));
  EXPECT_EQ(all.places, (std::vector<std::uint64_t>{1, 3, 5}));
  EXPECT_EQ(all.notes, Strings{"2 blank lines skipped"});
}

TEST(Records, AreNeverNone) {
  for (const std::string name : {"a.txt", "a.tsv", "a.csv", "a.jsonl", "a.gz"})
    expect_malformed(name + ": empty", name, "");
  expect_malformed("a.txt: no records, no tokens", "a.txt", " \n\t\n\n");
  expect_malformed("a.txt: no records", "a.txt", "\xEF\xBB\xBF");
  expect_malformed("a.tsv: no records", "a.tsv", "id\ttext\n", {.text_column = "text"});
  expect_malformed("a.gz: no records", "a.gz", gzip("\n"));
  expect_malformed("a.gz: empty", "a.gz", gzip(""));
}

TEST(Records, ComeFromSeveralFilesInOrder) {
  const TemporaryDirectory folder;
  const AllRecords all =
      read_records({folder.write("b.txt", "b1\nb2\n"), folder.write("a.tsv.gz", gzip("0\ta1\n")),
                    folder.write("c.jsonl.zst", zstd("{\"text\":\"c1\"}")),
                    folder.write("D.CSV", "0,\"d\"\"1\"\n")});
  EXPECT_EQ(all.texts, (Strings{"b1", "b2", "a1", "c1", "d\"1"}));
  EXPECT_EQ(all.files, (std::vector<std::uint32_t>{0, 0, 1, 2, 3}));
  EXPECT_EQ(all.progress.bytes_read, all.progress.bytes_total);
  EXPECT_GT(all.progress.bytes_total, 0u);
}

TEST(Records, StopAtTheLimitOverAllFiles) {
  const TemporaryDirectory folder;
  const auto a = folder.write("a.txt", "a1\na2\n"), b = folder.write("b.txt", "b1\nb2\n\xFF\n");
  EXPECT_EQ(read_records({a, b}, {.limit = 3}).texts, (Strings{"a1", "a2", "b1"}));
  EXPECT_EQ(read_records({a, b}, {.limit = 2}).texts, (Strings{"a1", "a2"}));
  EXPECT_EQ(read_records({a, b}, {.limit = 0}).texts, Strings{});
}

TEST(Records, LeaveOutAsManyBadOnesAsAllowed) {
  const std::string content = "a\n\xFF\nb\n\xC0\nc\n";
  expect_malformed("a.txt:2: invalid UTF-8 at offset 2: byte that UTF-8 never uses", "a.txt",
                   content);
  expect_malformed("a.txt:4: invalid UTF-8 at offset 6: overlong form", "a.txt", content,
                   {.skip_bad = 1});
  const AllRecords all = read_text("a.txt", content, {.skip_bad = 2});
  EXPECT_EQ(all.texts, (Strings{"a", "b", "c"}));
  EXPECT_EQ(all.skipped, 2);
  ASSERT_EQ(all.notes.size(), 3u);
  EXPECT_EQ(all.notes[0], "2 bad records left out");
  EXPECT_EQ(all.notes[1].substr(0, 35), "left out input 1:2: invalid UTF-8 a");
}

TEST(Records, AreNotedForWhatWasChanged) {
  const AllRecords all = read_text("a.txt",
                                   "\xEF\xBB\xBF"
                                   "a\r\nb\rc\xFF\n",
                                   {.invalid = InvalidBytes::kReplace});
  EXPECT_EQ(all.texts, (Strings{"a", "b", "c\xEF\xBF\xBD"}));
  EXPECT_EQ(all.notes,
            (Strings{"1 byte order mark stripped", "1 line ends in CRLF", "1 line ends in CR alone",
                     "1 invalid byte sequence replaced by U+FFFD"}));
}

TEST(Records, FillBatchesOfBoundedSize) {
  const TemporaryDirectory folder;
  std::string content;
  Strings expected;
  for (int i = 0; i < 200'000; ++i) {
    expected.push_back("line number " + std::to_string(i) + std::string(40, '.'));
    content += expected.back() + '\n';
  }
  const auto reader = open_records({folder.write("a.txt", content)}, {});
  EXPECT_EQ(reader->progress().bytes_read, 0u);
  EXPECT_EQ(reader->progress().bytes_total, content.size());
  std::size_t next = 0, batches = 0;
  for (RecordBatch batch; reader->next(batch); ++batches) {
    EXPECT_LT(batch.bytes.size(), std::size_t{5} << 20);
    for (const auto& record : batch.records) ASSERT_EQ(batch.text(record), expected[next++]);
  }
  EXPECT_EQ(next, expected.size());
  EXPECT_EQ(batches, (content.size() - expected.size()) / (std::size_t{1} << 22) + 1);
  RecordBatch batch;
  EXPECT_FALSE(reader->next(batch));
}

TEST(Records, EndAfterAnError) {
  const TemporaryDirectory folder;
  const auto reader = open_records({folder.write("a.txt", "\xFF\n")}, {});
  RecordBatch batch;
  EXPECT_THROW(reader->next(batch), Error);
  EXPECT_FALSE(reader->next(batch));
}

TEST(Records, OfATruncatedArchiveAreNone) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(i * i) + "\n";
  const std::string packed = gzip(text);
  expect_malformed("truncated at compressed offset 1000, decompressed ", "a.txt.gz",
                   packed.substr(0, 1000));
}

TEST(Records, NeedAFormatThatIsText) {
  for (const std::string name :
       {"a.npz", "a.h5", "a.pt", "a.bin", "a.pkl", "a.parquet", "a.arrow", "a.bin.gz"})
    expect_malformed("format not accepted; convert to", name, "x");
  EXPECT_EQ(read_text("a.bin", "x", {.format = RecordFormat::kText}).texts, Strings{"x"});
  EXPECT_EQ(read_text("a.log", "x\ty").texts, Strings{"x\ty"});
  EXPECT_EQ(read_text("a.log", "x\ty", {.format = RecordFormat::kTsv}).texts, Strings{"y"});
}

TEST(Records, RejectOptionsThatDoNotFit) {
  const auto expect_usage = [](std::string_view part, std::string_view name,
                               const RecordOptions& options) {
    expect_error(ErrorCode::kUsage, part, [&] { read_text(name, "x\ty\n", options); });
  };
  expect_usage("--text-column: no input is tsv or csv", "a.txt", {.text_column = "1"});
  expect_usage("--group-column: no input is", "a.txt", {.group_column = "1"});
  expect_usage("--text-field: no input is jsonl", "a.tsv", {.text_field = "x"});
  expect_usage("--text-field: the field 'text' would be both text and group", "a.jsonl",
               {.group_column = "text"});
  expect_usage("--skip-bad: -1 is negative", "a.tsv", {.skip_bad = -1});
  expect_usage("--limit: -1 is negative", "a.tsv", {.limit = -1});
  expect_error(ErrorCode::kUsage, "no input", [] { open_records({}, {}); });
  expect_error(ErrorCode::kUsage, "only once", [] { open_records({"-", "-"}, {}); });
}

TEST(Records, NameAnUnreadableFileBeforeReadingAny) {
  const TemporaryDirectory folder;
  expect_error(ErrorCode::kUnreadable, "absent.txt: No such file", [&] {
    open_records({folder.write("a.txt", "x"), folder / "absent.txt"}, {});
  });
}

TEST(Records, NoticeAFileThatChangesWhileItIsRead) {
  const TemporaryDirectory folder;
  std::string content;
  while (content.size() < std::size_t{40} << 20) content += "a line of a file that will grow\n";
  const auto path = folder.write("a.txt", content);
  expect_error(ErrorCode::kUnreadable, "changed during reading", [&] {
    const auto reader = open_records({path}, {});
    RecordBatch batch;
    reader->next(batch);
    std::ofstream(path, std::ios::app) << "more\n";
    while (reader->next(batch)) continue;
  });
}

TEST(ExpandInputs, SortsWhatAGlobMatches) {
  const TemporaryDirectory folder;
  const auto a = folder.write("a.txt", ""), b = folder.write("B.txt", ""),
             odd = folder.write("x[1].txt", "");
  const std::string prefix = folder.path().native();
  using Paths = std::vector<std::filesystem::path>;
  EXPECT_EQ(expand_inputs({prefix + "/[aB].txt", "-"}), (Paths{b, a, "-"}));
  EXPECT_EQ(expand_inputs({prefix + "/x[1].txt"}), Paths{odd});
  expect_error(ErrorCode::kUnreadable, "*.csv: no file matches",
               [&] { expand_inputs({prefix + "/*.csv"}); });
  expect_error(ErrorCode::kUnreadable, "absent: No such file",
               [&] { expand_inputs({prefix + "/absent"}); });
}

}  // namespace
}  // namespace sextant
