// SPDX-License-Identifier: Apache-2.0
// tsv and csv.
#include <gtest/gtest.h>

#include <random>

#include "support/expect_error.h"
#include "support/read_records.h"

namespace sextant {
namespace {

void expect_usage(std::string_view part, std::string_view name, std::string_view content,
                  const RecordOptions& options) {
  expect_error(ErrorCode::kUsage, part, [&] { read_text(name, content, options); });
}

TEST(Tsv, TakesTheLastColumnLiterally) {
  const AllRecords all = read_text("a.tsv", "0\t\"one, \"\"two\" \n1\t\\tx'\n2\t\n");
  EXPECT_EQ(all.texts, (Strings{"\"one, \"\"two\" ", "\\tx'", ""}));
  EXPECT_EQ(all.groups, (Strings{"", "", ""}));
}

TEST(Tsv, TakesColumnsByNumberAndByName) {
  const std::string table = "id\ttext\tsource\n1\tab\tx\n2\tcd\ty\n";
  const AllRecords named =
      read_text("a.tsv", table, {.text_column = "text", .group_column = "source"});
  EXPECT_EQ(named.texts, (Strings{"ab", "cd"}));
  EXPECT_EQ(named.groups, (Strings{"x", "y"}));
  EXPECT_EQ(named.places, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(read_text("a.tsv", table, {.text_column = "2"}).texts, (Strings{"text", "ab", "cd"}));
  EXPECT_EQ(read_text("a.tsv", table, {.text_column = "2", .group_column = "id"}).groups,
            (Strings{"1", "2"}));
}

TEST(Tsv, RejectsColumnsThatAreNotThere) {
  const std::string table = "id\ttext\ttext\n1\tab\tx\n";
  expect_usage("a.tsv:1: the header has no text column 'texts' (did you mean 'text'?)", "a.tsv",
               table, {.text_column = "texts"});
  expect_usage("the header has the text column 'text' twice", "a.tsv", table,
               {.text_column = "text"});
  expect_usage("the header has no group column 'source'", "a.tsv", table,
               {.group_column = "source"});
  for (const std::string number : {"0", "4", "-1"})
    expect_usage("the table has columns 1 to 3", "a.tsv", table, {.text_column = number});
}

TEST(Tsv, RefusesOneColumnAsTextAndGroup) {
  const std::string table = "sentence\tlabel\nab\tx\n";
  expect_usage("--text-column and --label-column", "a.tsv", table,
               {.group_column = "label", .group_role = "label"});
  expect_usage("column 1 would be both text and group", "a.tsv", table,
               {.text_column = "1", .group_column = "1"});
  expect_usage("column 1 would be both text and group", "a.tsv", table,
               {.text_column = "1", .group_column = "sentence"});
  EXPECT_EQ(read_text("a.tsv", table, {.text_column = "sentence", .group_column = "label"}).groups,
            Strings{"x"});
}

TEST(Tsv, RejectsARaggedRow) {
  expect_malformed("a.tsv:3: 3 columns; expected 2 as in line 1", "a.tsv", "0\ta\n1\tb\n2\tc\td\n");
  expect_malformed("a.tsv:2: 1 columns; expected 2", "a.tsv", "0\ta\nb\n");
  const AllRecords rest = read_text("a.tsv", "0\ta\nb\n1\tc\n", {.skip_bad = 1});
  EXPECT_EQ(rest.texts, (Strings{"a", "c"}));
  EXPECT_EQ(rest.skipped, 1);
}

TEST(Tsv, HintsAtAMissingTab) {
  expect_malformed("a.tsv:1: no tab in the first row but ';'", "a.tsv", "0;a\n1;b\n");
  expect_malformed("no tab in the first row; expected at least two columns", "a.tsv", "a\nb\n");
  expect_malformed("no tab in the first row but ','", "a.tsv", "id,text\n1,b\n",
                   {.text_column = "text"});
  expect_usage("no text column 'text'", "a.tsv", "id\n1\n", {.text_column = "text"});
  EXPECT_EQ(read_text("a.tsv", "a\nb\n", {.text_column = "1"}).texts, (Strings{"a", "b"}));
  EXPECT_EQ(read_text("a.csv", "text\nb\n", {.text_column = "text"}).texts, Strings{"b"});
}

TEST(Tsv, RefusesAMillionColumns) {
  const std::string tabs(1'000'000, '\t'), commas(1'000'000, ',');
  for (const auto& [name, content] : {std::pair("a.tsv", tabs), std::pair("a.csv", commas),
                                      std::pair("a.csv", commas + "\"x\"")}) {
    expect_error(ErrorCode::kRefused, ":1: more than 100000 columns",
                 [&, file = name, text = content] { read_text(file, text); });
  }
  EXPECT_EQ(read_text("a.tsv", tabs.substr(0, 99'999) + "x").texts, Strings{"x"});
}

TEST(Csv, ReadsQuotedFields) {
  const AllRecords all = read_text("a.csv",
                                   "1,plain\n"
                                   "2,\"a, \"\"b\"\"\r\nc\rd\n\"\n"
                                   "\"3\",\"\"\n"
                                   "4,\n");
  EXPECT_EQ(all.texts, (Strings{"plain", "a, \"b\"\r\nc\rd\n", "", ""}));
  EXPECT_EQ(all.places, (std::vector<std::uint64_t>{1, 2, 6, 7}));
}

TEST(Csv, SkipsBlankLinesAndNeedsNoFinalNewline) {
  const AllRecords all = read_text("a.csv", "1,a\r\n\r\n2,\"b\"");
  EXPECT_EQ(all.texts, (Strings{"a", "b"}));
  EXPECT_EQ(all.notes, (Strings{"2 lines end in CRLF", "1 blank line skipped"}));
}

TEST(Csv, NamesTheLineWhereAnUnclosedQuoteOpens) {
  expect_malformed("a.csv:2: column 2: the quote opened here is never closed", "a.csv",
                   "1,a\n2,\"b\n3,c\n4,d\n");
  expect_malformed("a.csv:3: column 3: the quote", "a.csv", "1,a,b\n2,\"x\ny\",\"b\n3,c,d");
  expect_malformed("a.csv:1: column 1: the quote", "a.csv", "\"");
  expect_malformed("never closed", "a.csv", "1,a\n2,\"b\n", {.skip_bad = 100});
}

TEST(Csv, RejectsAQuoteInABareField) {
  expect_malformed("a.csv:2: column 2: quote inside a bare field", "a.csv", "1,a\n2,b\"c\"\n");
  expect_malformed("column 2: quote inside a bare field", "a.csv", "1, \"a\"\n");
  expect_malformed("column 1: text after the closing quote", "a.csv", "\"1\"x,a\n");
  const AllRecords rest = read_text("a.csv", "1,a\n2,b\"c\n3,d\n", {.skip_bad = 1});
  EXPECT_EQ(rest.texts, (Strings{"a", "d"}));
}

TEST(Csv, LeavesOutAWholeRowForOneBadLine) {
  const AllRecords rest =
      read_text("a.csv", "1,a\n2,\"b\xFF\n,,\"\"\nc\xFF\"\n3,d\n", {.skip_bad = 1});
  EXPECT_EQ(rest.texts, (Strings{"a", "d"}));
  EXPECT_EQ(rest.skipped, 1);
  expect_malformed("a.csv:3: invalid UTF-8 at offset 10", "a.csv", "1,a\n2,\"b\nc\xFF\"\n");
}

TEST(Csv, RejectsARaggedRow) {
  expect_malformed("a.csv:4: 3 columns; expected 2 as in line 1", "a.csv",
                   "1,a\n2,\"b\nc\"\n3,d,\"e\"\n");
}

TEST(Csv, HintsAtAMissingComma) {
  expect_malformed("a.csv:1: no comma in the first row but ';'", "a.csv", "0;a\n");
  expect_malformed("no comma in the first row but '\\x09'", "a.csv", "0\ta\n");
}

// Any fields, quoted where they must be and sometimes where not, come back.
TEST(Csv, ReadsBackWhatRfc4180Writes) {
  std::mt19937_64 random(4180);
  const std::string alphabet = "ab,\"\n\r \t";
  for (int turn = 0; turn < 300; ++turn) {
    const std::size_t columns = 2 + random() % 4, rows = 1 + random() % 8;
    std::string content;
    Strings last, first;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        std::string field, quoted = "\"";
        for (std::size_t size = random() % 6; size > 0; --size)
          field += alphabet[random() % alphabet.size()];
        for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
        quoted += '"';
        const bool must = field.find_first_of(",\"\n\r") != field.npos;
        content += must || random() % 3 == 0 ? quoted : field;
        content += column + 1 < columns ? "," : random() % 2 == 0 ? "\n" : "\r\n";
        if (column == 0) first.push_back(field);
        if (column + 1 == columns) last.push_back(field);
      }
    }
    const AllRecords all = read_text("a.csv", content, {.group_column = "1"});
    ASSERT_EQ(all.texts, last) << content;
    ASSERT_EQ(all.groups, first) << content;
  }
}

}  // namespace
}  // namespace sextant
