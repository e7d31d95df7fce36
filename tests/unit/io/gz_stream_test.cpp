// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/compressed.h"
#include "support/expect_error.h"
#include "support/read_stream.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

class GzStream : public testing::Test {
 protected:
  std::string read(const std::string& bytes) const {
    return read_stream(folder_.write("a.gz", bytes));
  }
  void expect_malformed(std::string_view part, const std::string& bytes) const {
    expect_error(ErrorCode::kMalformed, part, [&] { read(bytes); });
  }

  TemporaryDirectory folder_;
  const std::string text_ = "a text that is compressed\n";
  const std::string packed_ = gzip(text_);
};

TEST_F(GzStream, JoinsMembers) {
  EXPECT_EQ(read(packed_ + gzip("") + gzip("more")), text_ + "more");
}

TEST_F(GzStream, StepsOverTheOptionalPartsOfAHeader) {
  gz_header header = {};
  std::string extra = "extra field", name = "name", comment = "comment";
  header.extra = reinterpret_cast<Bytef*>(extra.data());
  header.extra_len = static_cast<uInt>(extra.size());
  header.name = reinterpret_cast<Bytef*>(name.data());
  header.comment = reinterpret_cast<Bytef*>(comment.data());
  header.hcrc = 1;
  EXPECT_EQ(read(gzip(text_, &header)), text_);
}

TEST_F(GzStream, SaysWhereItIsTruncated) {
  const std::string cut = packed_.substr(0, packed_.size() - 3);  // inside of the trailer
  expect_malformed("truncated at compressed offset " + std::to_string(cut.size()) +
                       ", decompressed " + std::to_string(text_.size()),
                   cut);
  expect_malformed("truncated at compressed offset 9, decompressed 0", packed_.substr(0, 9));
}

TEST_F(GzStream, ChecksTheSumAndTheLength) {
  std::string bad = packed_;
  bad[bad.size() - 8] ^= 1;
  expect_malformed("CRC-32 mismatch", bad);
  bad = packed_;
  bad[bad.size() - 1] ^= 1;
  expect_malformed("length (ISIZE) mismatch", bad);
}

TEST_F(GzStream, RejectsTrailingGarbage) {
  const std::string at = "compressed offset " + std::to_string(packed_.size());
  for (const std::string garbage : {"x", "more", "\x1f"}) {
    expect_malformed(at, packed_ + garbage);
    expect_malformed("trailing garbage", packed_ + garbage);
  }
  expect_malformed("trailing garbage", packed_ + std::string(512, '\0'));
  expect_malformed("truncated", packed_ + "\x1f\x8b");
}

TEST_F(GzStream, RejectsReservedFlagsAndOtherMethods) {
  for (const char flag : {'\x20', '\x40', '\x80'}) {
    std::string bad = packed_;
    bad[3] = static_cast<char>(bad[3] | flag);
    expect_malformed("unknown header flags", bad);
  }
  std::string bad = packed_;
  bad[2] = 7;
  expect_malformed("unknown compression method", bad);
}

TEST_F(GzStream, RejectsAnExtraFieldBeyondTheEnd) {
  std::string bad = packed_.substr(0, 10) + "\xFF\xFF" + packed_.substr(10);
  bad[3] = 4;  // FEXTRA
  expect_malformed("truncated", bad);
}

}  // namespace
}  // namespace sextant
