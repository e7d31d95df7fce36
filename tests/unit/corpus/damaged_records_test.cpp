// SPDX-License-Identifier: Apache-2.0
// Whatever happens to the bytes of a corpus, reading ends in records or in an Error.
#include <gtest/gtest.h>

#include <random>

#include "corpus/record_parser.h"
#include "corpus/utf8.h"
#include "sextant/error.h"
#include "support/compressed.h"
#include "support/memory_stream.h"
#include "support/read_stream.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using namespace std::string_view_literals;

const std::string kText = "one two\nthree \xC3\xA4\xE2\x82\xAC\r\n\nfour\n";

struct Sample {
  std::string name;
  RecordFormat format;
  std::string content;
};

std::ostream& operator<<(std::ostream& out, const Sample& sample) { return out << sample.name; }

std::vector<Sample> samples() {
  return {{"text", RecordFormat::kText, kText},
          {"tsv", RecordFormat::kTsv, "0\tone two\n1\tthree \xC3\xA4\r\n2\t\n"},
          {"csv", RecordFormat::kCsv, "0,\"one, \"\"two\"\"\"\n1,\"a\nb\"\r\n2,\xC3\xA4\n"},
          {"jsonl", RecordFormat::kJsonl,
           "{\"text\":\"a\\u00e4\\\"\",\"n\":[1.5e3,{\"x\":null}]}\n\n{\"text\":\"b\"}\n"}};
}

class DamagedRecords : public testing::TestWithParam<Sample> {};

std::string damaged(std::string bytes, std::mt19937_64& random) {
  constexpr std::string_view kSpecial = "\0\"\\\n\r\t,{}[]:\x80\xC3\xE2\xED\xF4\xFF"sv;
  for (std::size_t edits = 1 + random() % 3; edits > 0 && !bytes.empty(); --edits) {
    const std::size_t at = random() % bytes.size();
    switch (random() % 5) {
      case 0:
        bytes[at] = static_cast<char>(random() & 0xFF);
        break;
      case 1:
        bytes.insert(at, 1, kSpecial[random() % kSpecial.size()]);
        break;
      case 2:
        bytes.erase(at, 1 + random() % 4);
        break;
      case 3:
        bytes.resize(at);
        break;
      default:
        bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 16));
    }
  }
  return bytes;
}

void expect_decent(const Error& error) {
  EXPECT_TRUE(error.code() == ErrorCode::kMalformed || error.code() == ErrorCode::kRefused)
      << error.what();
  EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << error.what();
}

constexpr int kTurns = 20'000;

TEST_P(DamagedRecords, AreValidTextOrAnError) {
  std::mt19937_64 random(1);
  int good = 0;
  for (int turn = 0; turn < kTurns; ++turn) {
    const RecordOptions options = {
        .invalid = turn % 3 == 0 ? InvalidBytes::kReplace : InvalidBytes::kError,
        .skip_bad = turn % 2};
    ReadLog log;
    log.skip_bad = options.skip_bad;
    LineSource lines(std::make_unique<MemoryStream>(damaged(GetParam().content, random)),
                     {.text = "a", .number = 0}, options.invalid, log, 16 + random() % 64);
    const auto parser = make_record_parser(GetParam().format, lines, options);
    RecordBatch batch;
    try {
      while (parser->next(batch)) continue;
      ++good;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::kUsage) expect_decent(error);
    }
    EXPECT_TRUE(is_utf8(batch.bytes)) << batch.bytes;
    EXPECT_EQ(batch.bytes.find('\0'), std::string::npos);
  }
  EXPECT_GT(good, kTurns / 20);
  EXPECT_LT(good, kTurns);
}

INSTANTIATE_TEST_SUITE_P(Formats, DamagedRecords, testing::ValuesIn(samples()),
                         [](const auto& test) { return test.param.name; });

TEST(DamagedArchives, GiveTheSameTextOrAnError) {
  const TemporaryDirectory folder;
  std::mt19937_64 random(2);
  for (const auto& [name, packed] :
       {std::pair("a.gz", gzip(kText)), std::pair("a.zst", zstd(kText))}) {
    for (int turn = 0; turn < kTurns; ++turn) {
      const std::string bytes = damaged(packed, random);
      std::filesystem::remove(folder / name);  // some file systems sync a file written anew
      try {
        EXPECT_EQ(read_stream(folder.write(name, bytes)), bytes.empty() ? "" : kText);
      } catch (const Error& error) {
        expect_decent(error);
      }
    }
  }
}

}  // namespace
}  // namespace sextant
