// SPDX-License-Identifier: Apache-2.0
#include "io/safetensors.h"

#include <gtest/gtest.h>

#include <limits>

#include "io/json.h"
#include "io/safetensors_input.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

std::string header_of(const std::vector<TensorHeader>& tensors) {
  return safetensors_header(tensors);
}

std::uint64_t length_field(const std::string& header) {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < 8; ++i)
    length |= std::uint64_t{static_cast<unsigned char>(header[i])} << (8 * i);
  return length;
}

// The example of the format's README: N as little-endian u64, JSON of N bytes, "{" first.
TEST(SafetensorsHeader, StatesItsLengthAndIsPaddedWithBlanks) {
  for (std::size_t letters = 1; letters < 20; ++letters) {
    const std::string header = header_of({{std::string(letters, 'n'), "F32", {2, 3}}});
    EXPECT_EQ(header.size() % 8, 0u);
    EXPECT_EQ(length_field(header), header.size() - 8);
    EXPECT_EQ(header[8], '{');
    EXPECT_NE(header.find_last_not_of(' '), header.npos);
    EXPECT_EQ(header[header.find_last_not_of(' ')], '}');
    EXPECT_LT(header.size() - header.find_last_not_of(' ') - 1, 8u);
  }
}

TEST(SafetensorsHeader, LaysTensorsOutWithoutGaps) {
  const std::string header =
      header_of({{"a", "F64", {3}}, {"b", "F32", {2, 5}}, {"c", "BF16", {}}, {"d", "F16", {0, 7}}});
  EXPECT_EQ(Json::parse(header.substr(8)), Json::parse(R"({
    "a": {"dtype": "F64", "shape": [3], "data_offsets": [0, 24]},
    "b": {"dtype": "F32", "shape": [2, 5], "data_offsets": [24, 64]},
    "c": {"dtype": "BF16", "shape": [], "data_offsets": [64, 66]},
    "d": {"dtype": "F16", "shape": [0, 7], "data_offsets": [66, 66]}})"));
}

TEST(SafetensorsHeader, CarriesMetadataAsStrings) {
  const std::vector<TensorHeader> tensors = {{"x", "F32", {1}}};
  const Json json = Json::parse(safetensors_header(tensors, {{"spec", "rope"}}).substr(8));
  EXPECT_EQ(json["__metadata__"], Json::parse(R"({"spec": "rope"})"));
  EXPECT_FALSE(Json::parse(header_of(tensors).substr(8)).contains("__metadata__"));
}

TEST(SafetensorsHeader, IsAnEmptyObjectWithoutTensors) {
  EXPECT_EQ(header_of({}), std::string("\x08\0\0\0\0\0\0\0{}      ", 16));
}

TEST(SafetensorsHeader, RefusesWhatReadersRefuse) {
  constexpr Index kHuge = std::numeric_limits<Index>::max() / 8;
  expect_error(ErrorCode::kUsage, "x: tensor name must be unique", [] {
    header_of({{"x", "F32", {1}}, {"x", "F32", {1}}});
  });
  expect_error(ErrorCode::kUsage, "not __metadata__", [] {
    header_of({{"__metadata__", "F32", {1}}});
  });
  expect_error(ErrorCode::kUsage, "dtype must be", [] { header_of({{"x", "f32", {1}}}); });
  expect_error(ErrorCode::kUsage, "negative but got -1", [] {
    header_of({{"x", "F32", {2, -1}}});
  });
  expect_error(ErrorCode::kUsage, "fit 63 bits", [] { header_of({{"x", "F32", {kHuge, 3}}}); });
  expect_error(ErrorCode::kUsage, "all tensors must fit 63 bits", [] {
    header_of({{"x", "F64", {kHuge}}, {"y", "F64", {kHuge}}});
  });
}

TEST(WriteSafetensors, WantsTheBytesOfTheShape) {
  const TemporaryDirectory folder;
  const float values[] = {1.5F, -2.0F};
  const auto bytes = std::as_bytes(std::span(values));
  AtomicFile file(folder / "a.safetensors", AtomicFile::Existing::kKeep);
  const StoredTensor wrong[] = {{{"x", "F32", {3}}, bytes}};
  expect_error(ErrorCode::kUsage, "x: shape needs 12 bytes but 8 are given",
               [&] { write_safetensors(file, wrong); });
  const StoredTensor right[] = {{{"x", "F32", {2}}, bytes}, {{"y", "U8", {8}}, bytes}};
  write_safetensors(file, right);
  file.commit();
  EXPECT_EQ(read_tensor(folder / "a.safetensors", "x").values, (Vector{1.5, -2.0}));
  EXPECT_EQ(read_tensor_headers(folder / "a.safetensors")[1].shape, std::vector<Index>{8});
}

}  // namespace
}  // namespace sextant
