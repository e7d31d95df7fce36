// SPDX-License-Identifier: Apache-2.0
#include "io/bounded_reader.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/gguf_bytes.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

void expect_fields(BoundedReader& input) {
  EXPECT_EQ(input.number<std::uint8_t>("a"), 0xfe);
  EXPECT_EQ(input.number<std::int16_t>("b"), -2);
  EXPECT_EQ(input.number<std::uint32_t>("c"), 0x04030201U);
  EXPECT_EQ(input.number<float>("d"), 1.5F);
  EXPECT_EQ(input.number<double>("e"), -0.1);
  EXPECT_EQ(input.text(3, "f"), "xyz");
  EXPECT_EQ(input.position(), 22U);
  EXPECT_EQ(input.remaining(), 2U);
}

TEST(BoundedReader, ReadsLittleEndianFieldsOfAFileAsOfMemory) {
  const std::string bytes = "\xfe\xfe\xff\x01\x02\x03\x04" + raw(1.5F) + raw(-0.1) + "xyz??";
  BoundedReader memory(bytes, "memory");
  expect_fields(memory);
  const TemporaryDirectory folder;
  const InputFile file(folder.write("a", bytes));
  BoundedReader input(file);
  expect_fields(input);
}

TEST(BoundedReader, NamesTheOffsetOfAFieldThatDoesNotFit) {
  BoundedReader input("abcde", "x");
  input.skip(2, "start");
  expect_error(ErrorCode::kMalformed, "x: offset 2: count needs 4 bytes but 3 remain",
               [&] { input.number<std::uint32_t>("count"); });
  expect_error(ErrorCode::kMalformed, "name needs 18446744073709551615 bytes but 3 remain",
               [&] { input.text(~std::uint64_t{0}, "name"); });
  expect_error(ErrorCode::kMalformed, "needs 4 bytes", [&] { input.skip(4, "rest"); });
  expect_error(ErrorCode::kMalformed, "beyond the end at 5", [&] { input.seek(6, "data"); });
  EXPECT_EQ(input.text(3, "rest"), "cde");
}

TEST(BoundedReader, ReadsAcrossItsWindowAndBack) {
  std::string bytes;
  for (std::uint32_t i = 0; i < 70000; ++i) bytes += raw(i);
  const TemporaryDirectory folder;
  const InputFile file(folder.write("a", bytes));
  BoundedReader input(file);
  input.skip(2, "half");
  for (int i = 0; i < 60000; ++i) input.number<std::uint32_t>("number");
  EXPECT_EQ(input.text(40000 - 2, "rest"), bytes.substr(240002, 39998));
  input.seek(4 * 17, "number");
  EXPECT_EQ(input.number<std::uint32_t>("number"), 17U);
  input.seek(0, "start");
  EXPECT_EQ(input.text(bytes.size(), "all"), bytes);
  EXPECT_EQ(input.start(8), bytes.substr(0, 8));
}

}  // namespace
}  // namespace sextant
