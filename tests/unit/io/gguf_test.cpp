// SPDX-License-Identifier: Apache-2.0
#include "io/gguf.h"

#include <gtest/gtest.h>

#include "io/bounded_reader.h"
#include "io/ggml_type.h"
#include "support/expect_error.h"
#include "support/seed_files.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

GgufFile parsed(const std::string& bytes) {
  BoundedReader input(bytes, "a.gguf");
  return read_gguf(input);
}

void expect_malformed(const std::string& bytes, std::string_view part) {
  expect_error(ErrorCode::kMalformed, part, [&] { parsed(bytes); });
}

std::string with_pair(const GgufPair& pair) { return gguf_bytes({pair}, {}, ""); }
std::string with_tensor(const GgufEntry& tensor, std::size_t bytes = 64) {
  return gguf_bytes({}, {tensor}, std::string(bytes, '\0'));
}

TEST(Gguf, ReadsMetadataByKind) {
  const GgufFile file = parsed(gguf_seed());
  EXPECT_EQ(file.version, 3U);
  EXPECT_EQ(file.alignment, 32U);
  EXPECT_EQ(*file.find<std::string>("general.architecture"), "llama");
  EXPECT_EQ(*file.find<std::uint64_t>("llama.context_length"), 8U);
  EXPECT_EQ(*file.find<double>("llama.rope.freq_base"), 10000.0);
  EXPECT_TRUE(*file.find<bool>("flag"));
  EXPECT_EQ(file.find<bool>("absent"), nullptr);
  const auto* words = file.find<GgufArray>("words");
  ASSERT_EQ(words->values.size(), 2U);
  EXPECT_EQ(std::get<std::string>(words->values[1]), "bc");
  EXPECT_EQ(std::get<std::int64_t>(file.find<GgufArray>("sections")->values[1]), -2);
  expect_error(ErrorCode::kMalformed, "a.gguf: key 'flag' has another type",
               [&] { file.find<double>("flag"); });
  expect_error(ErrorCode::kMalformed, "another type",
               [&] { file.find<std::int64_t>("llama.context_length"); });
}

// Every type at its limits; version 2 has the same layout.
TEST(Gguf, WidensWithinAKind) {
  const std::vector<GgufPair> pairs = {
      {"u8", 0, raw<std::uint8_t>(255)},     {"i8", 1, raw<std::int8_t>(-128)},
      {"u16", 2, raw<std::uint16_t>(65535)}, {"i16", 3, raw<std::int16_t>(-32768)},
      {"i32", 5, raw<std::int32_t>(-1)},     {"u64", 10, raw(~std::uint64_t{0})},
      {"i64", 11, raw<std::int64_t>(-1)},    {"f64", 12, raw(0.1)}};
  const GgufFile file = parsed(gguf_bytes(pairs, {}, "", 2));
  EXPECT_EQ(file.version, 2U);
  EXPECT_EQ(*file.find<std::uint64_t>("u8"), 255U);
  EXPECT_EQ(*file.find<std::int64_t>("i8"), -128);
  EXPECT_EQ(*file.find<std::uint64_t>("u16"), 65535U);
  EXPECT_EQ(*file.find<std::int64_t>("i16"), -32768);
  EXPECT_EQ(*file.find<std::int64_t>("i32"), -1);
  EXPECT_EQ(*file.find<std::uint64_t>("u64"), ~std::uint64_t{0});
  EXPECT_EQ(*file.find<std::int64_t>("i64"), -1);
  EXPECT_EQ(*file.find<double>("f64"), 0.1);
}

TEST(Gguf, ChecksButDoesNotKeepAVocabulary) {
  std::string words;
  for (int i = 0; i < 5000; ++i) words += gguf_string("w");
  const GgufFile file = parsed(with_pair(gguf_array("tokens", 8, 5000, words)));
  EXPECT_EQ(file.find<GgufArray>("tokens")->length, 5000U);
  EXPECT_TRUE(file.find<GgufArray>("tokens")->values.empty());
  words.replace(words.size() - 9, 8, raw<std::uint64_t>(99));
  expect_malformed(with_pair(gguf_array("tokens", 8, 5000, words)), "string needs 99 bytes");
  expect_malformed(with_pair(gguf_array("flags", 7, 5000, std::string(4999, '\1') + '\2')),
                   "bool must be 0 or 1 but is 2");
}

TEST(Gguf, GivesShapesByRowsAndAbsoluteOffsets) {
  const std::string bytes = gguf_seed();
  const GgufFile file = parsed(bytes);
  const GgufTensor* table = file.find_tensor("position_embd.weight");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->shape, (std::vector<Index>{3, 2}));
  EXPECT_EQ(table->type, "F32");
  EXPECT_EQ(table->bytes, 24U);
  EXPECT_EQ(table->offset, bytes.size() - 66);
  EXPECT_EQ(file.tensors[1].bytes, 34U);  // Q8_0: one scale of 2 bytes, 32 values of 1
  BoundedReader input(bytes, "a.gguf");
  const NpyArray array = read_gguf_tensor(input, "position_embd.weight");
  EXPECT_EQ(array.shape, (std::vector<Index>{3, 2}));
  EXPECT_EQ(array.values, (Vector{1, 2, 3, 4, 5, 6}));
}

// 1 is 0x3c00 in binary16 and 0x3f80 in bfloat16.
TEST(Gguf, WidensRealTensorsOnly) {
  const auto value = [](std::uint32_t type, const std::string& data) {
    const std::string bytes = gguf_bytes({}, {{"t", {1}, type, 0}}, data);
    BoundedReader input(bytes, "a.gguf");
    return read_gguf_tensor(input, "").values;
  };
  EXPECT_EQ(value(0, raw(1.0F)), Vector{1.0});
  EXPECT_EQ(value(1, raw<std::uint16_t>(0x3c00)), Vector{1.0});
  EXPECT_EQ(value(28, raw(1.0)), Vector{1.0});
  EXPECT_EQ(value(30, raw<std::uint16_t>(0x3f80)), Vector{1.0});
  expect_error(ErrorCode::kMalformed, "tensor 't': has type I32", [&] { value(26, raw(1)); });
  expect_error(ErrorCode::kNumeric, "value at (0,) must be finite",
               [&] { value(1, raw<std::uint16_t>(0x7c00)); });
}

TEST(Gguf, SuggestsATensor) {
  const TemporaryDirectory folder;
  const auto path = folder.write("a.gguf", gguf_seed());
  expect_error(ErrorCode::kUsage, "did you mean 'position_embd.weight'",
               [&] { read_gguf_tensor(path, "position_emb.weight"); });
  expect_error(ErrorCode::kUsage, "has 2 tensors; name one", [&] { read_gguf_tensor(path, ""); });
  EXPECT_EQ(read_gguf(path).tensors.size(), 2U);
  expect_error(ErrorCode::kUnreadable, "absent", [&] { read_gguf(folder / "absent.gguf"); });
}

TEST(Gguf, RefusesOtherVersionsAndMagics) {
  expect_malformed("", "a.gguf: empty");
  expect_malformed("GGML" + gguf_seed().substr(4), "offset 0: the magic of .gguf must be 'GGUF'");
  expect_malformed("PK\3\4", "format not accepted");
  for (const std::uint32_t version : {0U, 1U, 4U, 0xffffffffU})
    expect_malformed(gguf_bytes({}, {}, "", version), "offset 4: version must be 2 or 3");
  expect_malformed(gguf_bytes({}, {}, "", 0x03000000U), "big-endian");
}

TEST(Gguf, HoldsCountsAgainstTheFile) {
  std::string bytes = gguf_seed();
  bytes.replace(8, 8, raw(~std::uint64_t{0}));
  expect_malformed(bytes, "18446744073709551615 tensors do not fit");
  bytes = gguf_seed();
  bytes.replace(16, 8, raw<std::uint64_t>(bytes.size()));
  expect_malformed(bytes, "keys do not fit");
  bytes = gguf_bytes({}, {}, "");
  bytes.replace(8, 8, raw<std::uint64_t>(200001));
  expect_error(ErrorCode::kRefused, "200001 tensors, above the limit of 200000",
               [&] { parsed(bytes + std::string(33 * 200001, '\0')); });
}

TEST(Gguf, RefusesBrokenPairs) {
  expect_malformed(with_pair(gguf_u32("", 1)), "offset 24: key must have 1 to 65535 bytes");
  expect_malformed(with_pair(gguf_u32(std::string(65536, 'k'), 1)), "but has 65536");
  EXPECT_NO_THROW(parsed(with_pair(gguf_u32(std::string(65535, 'k'), 1))));
  expect_malformed(with_pair({"k", 13, "12345678"}), "type must be below 13 but is 13");
  expect_malformed(with_pair({"k", 7, "\2"}), "bool must be 0 or 1");
  expect_malformed(with_pair({"k", 8, raw<std::uint64_t>(1000) + "abc"}), "string needs 1000");
  expect_malformed(with_pair(gguf_array("k", 9, 1, raw(0) + raw(0))), "arrays of arrays");
  expect_malformed(with_pair(gguf_array("k", 12, std::uint64_t{1} << 61, "12345678")), "array of");
  expect_malformed(with_pair(gguf_array("k", 0, 1000, "12345678")), "does not fit");
  expect_malformed(gguf_bytes({gguf_u32("k", 1), gguf_f32("k", 1)}, {}, ""), "key 'k' is repeated");
}

TEST(Gguf, ChecksTheAlignment) {
  for (const std::uint32_t alignment : {0U, 3U, 48U, 131072U})
    expect_malformed(with_pair(gguf_u32("general.alignment", alignment)), "a power of two");
  expect_malformed(with_pair({"general.alignment", 10, raw<std::uint64_t>(32)}), "32-bit unsigned");
  const std::string bytes =
      gguf_bytes({gguf_u32("general.alignment", 128)}, {{"t", {1}, 0, 0}}, raw(1.0F), 3, 128);
  EXPECT_EQ(parsed(bytes).tensors[0].offset, 128U);
}

TEST(Gguf, RefusesBrokenTensors) {
  expect_malformed(with_tensor({"t", {}, 0, 0}), "1 to 4 dimensions but has 0");
  expect_malformed(with_tensor({"t", {1, 1, 1, 1, 1}, 0, 0}), "but has 5");
  expect_malformed(with_tensor({"t", {4, 0}, 0, 0}), "dimension must be positive but is 0");
  expect_malformed(with_tensor({"t", {-4}, 0, 0}), "is -4");
  expect_malformed(with_tensor({"t", {1LL << 40, 1LL << 40}, 0, 0}), "must fit 63 bits");
  for (const std::uint32_t type : {4U, 31U, 38U, 43U, 0xffffffffU})
    expect_malformed(with_tensor({"t", {1}, type, 0}), "unknown type");
  expect_malformed(with_tensor({"t", {33}, 8, 0}), "no blocks of 32 of Q8_0");
  expect_malformed(with_tensor({"t", {1}, 0, 4}), "no multiple of the alignment");
  expect_malformed(with_tensor({"t", {17}, 0, 0}), "beyond the data of 64 bytes");
  expect_malformed(with_tensor({"t", {1}, 0, 64}), "beyond the data");
  expect_malformed(with_tensor({"t", {1}, 0, ~std::uint64_t{31}}), "beyond the data");
  expect_malformed(with_tensor({"", {1}, 0, 0}), "tensor name must have");
  const std::string data(128, '\0');
  expect_malformed(gguf_bytes({}, {{"t", {1}, 0, 0}, {"t", {1}, 0, 32}}, data), "'t' is repeated");
  expect_malformed(gguf_bytes({}, {{"s", {16}, 0, 32}, {"t", {9}, 0, 0}}, data),
                   "tensors 't' and 's' overlap");
}

// From the definitions of the blocks: bits per value times values plus scales.
TEST(GgmlType, HasTheSizesOfItsBlocks) {
  EXPECT_EQ(find_ggml_type(2)->block_bytes, 2 + 32 * 4 / 8);         // Q4_0
  EXPECT_EQ(find_ggml_type(12)->block_bytes, 4 + 12 + 256 * 4 / 8);  // Q4_K
  EXPECT_EQ(find_ggml_type(14)->block_bytes, 256 * 6 / 8 + 16 + 2);  // Q6_K
  EXPECT_EQ(find_ggml_type(39)->block_bytes, 1 + 32 * 4 / 8);        // MXFP4
  EXPECT_EQ(find_ggml_type(40)->block_bytes, 4 + 64 * 4 / 8);        // NVFP4
  EXPECT_EQ(find_ggml_type(41)->block_bytes, 2 + 128 / 8);           // Q1_0
  EXPECT_EQ(find_ggml_type(5), nullptr);
}

}  // namespace
}  // namespace sextant
