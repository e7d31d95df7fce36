// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/compressed.h"
#include "support/expect_error.h"
#include "support/read_stream.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

const std::string kMagic = "\x28\xB5\x2F\xFD";

class ZstStream : public testing::Test {
 protected:
  std::string read(const std::string& bytes) const {
    return read_stream(folder_.write("a.zst", bytes));
  }
  void expect_malformed(std::string_view part, const std::string& bytes) const {
    expect_error(ErrorCode::kMalformed, part, [&] { read(bytes); });
  }
  void expect_refused(std::string_view part, const std::string& bytes) const {
    expect_error(ErrorCode::kRefused, part, [&] { read(bytes); });
  }

  TemporaryDirectory folder_;
  const std::string text_ = "a text that is compressed\n";
  const std::string packed_ = zstd(text_);
};

TEST_F(ZstStream, JoinsFramesAndLeavesOutSkippableOnes) {
  EXPECT_EQ(read(skippable_frame("x") + packed_ + skippable_frame("") + zstd("more") +
                 skippable_frame("y")),
            text_ + "more");
  EXPECT_EQ(read(skippable_frame("nothing else")), "");
}

TEST_F(ZstStream, SaysWhereItIsTruncated) {
  expect_malformed("truncated at compressed offset 4, decompressed 0",
                   packed_.substr(0, 4) /* a magic number */);
  const std::string cut = packed_.substr(0, packed_.size() - 1);
  expect_malformed("truncated at compressed offset " + std::to_string(cut.size()), cut);
  expect_malformed("truncated", skippable_frame("12345678").substr(0, 12));
  expect_malformed("truncated", skippable_frame("12345678").substr(0, 7));
}

TEST_F(ZstStream, ChecksTheSum) {
  std::string bad = packed_;
  bad.back() ^= 1;
  expect_malformed("checksum", bad);
}

TEST_F(ZstStream, RejectsTrailingGarbage) {
  expect_malformed("compressed offset " + std::to_string(packed_.size()), packed_ + "x");
  expect_malformed("trailing garbage", packed_ + "garbage");
}

// A single segment with one raw block: magic, descriptor 0x20, size, block header, content.
std::string raw_frame(std::uint8_t declared, const std::string& content) {
  const auto block = static_cast<std::uint32_t>(content.size() << 3 | 1);  // the last block, raw
  return kMagic + '\x20' + static_cast<char>(declared) + little_endian_32(block).substr(0, 3) +
         content;
}

TEST_F(ZstStream, RejectsAContentSizeThatLies) {
  EXPECT_EQ(read(raw_frame(5, "12345")), "12345");
  expect_malformed("declares 6 bytes", raw_frame(6, "12345"));
  expect_malformed("declares 4 bytes", raw_frame(4, "12345"));
}

TEST_F(ZstStream, RefusesAWindowAboveTheLimit) {
  const std::string rest = little_endian_32(1).substr(0, 3);  // an empty last block
  const auto with_window = [&](unsigned descriptor) {
    return kMagic + '\0' + static_cast<char>(descriptor) + rest;
  };
  EXPECT_EQ(read(with_window(17u << 3)), "");  // 2^27
  expect_refused("window of 150994944 bytes", with_window(17u << 3 | 1));
  expect_refused("window of 268435456 bytes", with_window(18u << 3));
  expect_refused("window", with_window(0xFF));
  expect_refused("window", kMagic + '\xA0' + little_endian_32((1u << 27) + 1) + rest);
  expect_refused("window", zstd(text_, {.declare_size = false, .window_log = 28}));
}

TEST_F(ZstStream, RejectsAnUnknownDictionary) {
  const std::string empty_block = little_endian_32(1).substr(0, 3);
  expect_malformed("unknown dictionary 7", kMagic + '\x21' + '\x07' + '\0' + empty_block);
}

TEST_F(ZstStream, RejectsTheReservedBit) {
  std::string bad = packed_;
  bad[4] = static_cast<char>(bad[4] | 0x08);
  expect_malformed("compressed offset", bad);
}

TEST_F(ZstStream, RefusesMuchInSkippableFrames) {
  const std::string half((std::size_t{1} << 23), 'x');
  EXPECT_EQ(read(skippable_frame(half) + skippable_frame(half) + packed_), text_);
  expect_refused("16777217 bytes in skippable frames",
                 skippable_frame(half) + skippable_frame(half) + skippable_frame("x") + packed_);
}

}  // namespace
}  // namespace sextant
