// SPDX-License-Identifier: Apache-2.0
// Whatever happens to the bytes of a corpus, reading ends in records or in an Error.
#include <gtest/gtest.h>

#include <random>

#include "corpus/utf8.h"
#include "sextant/error.h"
#include "support/compressed.h"
#include "support/read_records.h"

namespace sextant {
namespace {

using namespace std::string_view_literals;

struct Sample {
  std::string name, content;
};

std::ostream& operator<<(std::ostream& out, const Sample& sample) { return out << sample.name; }

const std::string kText = "one two\nthree \xC3\xA4\xE2\x82\xAC\r\n\nfour\n";

std::vector<Sample> samples() {
  return {
      {"a.txt", kText},
      {"a.tsv", "0\tone two\n1\tthree \xC3\xA4\r\n2\t\n"},
      {"a.csv", "0,\"one, \"\"two\"\"\"\n1,\"a\nb\"\r\n2,\xC3\xA4\n"},
      {"a.jsonl", "{\"text\":\"a\\u00e4\\\"\",\"n\":[1.5e3,{\"x\":null}]}\n\n{\"text\":\"b\"}\n"},
      {"a.txt.gz", gzip(kText)},
      {"a.txt.zst", zstd(kText)}};
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

TEST_P(DamagedRecords, AreValidTextOrAnError) {
  const TemporaryDirectory folder;
  std::mt19937_64 random(20'000);
  int good = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    const auto path = folder.write(GetParam().name, damaged(GetParam().content, random));
    const RecordOptions options = {
        .invalid = turn % 3 == 0 ? InvalidBytes::kReplace : InvalidBytes::kError,
        .skip_bad = turn % 2};
    try {
      const AllRecords all = read_records({path}, options);
      for (const std::string& text : all.texts) {
        ASSERT_TRUE(is_utf8(text));
        ASSERT_EQ(text.find('\0'), text.npos);
      }
      ++good;
    } catch (const Error& error) {
      ASSERT_NE(error.code(), ErrorCode::kInternal) << error.what();
      ASSERT_NE(error.code(), ErrorCode::kUnreadable) << error.what();
      ASSERT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
    }
  }
  EXPECT_LT(good, 20'000);
}

INSTANTIATE_TEST_SUITE_P(Formats, DamagedRecords, testing::ValuesIn(samples()),
                         [](const auto& test) {
                           std::string name = test.param.name.substr(2);
                           for (char& c : name) c = c == '.' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace sextant
