// SPDX-License-Identifier: Apache-2.0
#include "io/safetensors_input.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "io/safetensors.h"
#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

std::string length_of(std::size_t size) {
  std::string bytes(8, '\0');
  const std::uint64_t n = size;
  std::memcpy(bytes.data(), &n, 8);
  return bytes;
}

class SafetensorsInput : public ::testing::Test {
 protected:
  TemporaryDirectory folder;
  std::string path = (folder.path() / "t.safetensors").string();

  void write(const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
  void write(const std::string& header, const std::string& data) {
    write(length_of(header.size()) + header + data);
  }
};

TEST_F(SafetensorsInput, ReadsWhatWeWrite) {
  const TensorHeader headers[] = {{"a", "F64", {2, 1}}, {"b", "F32", {1}}};
  const double a[] = {1.5, -2.0};
  const float b[] = {0.25F};
  std::string data(reinterpret_cast<const char*>(a), sizeof a);
  data.append(reinterpret_cast<const char*>(b), sizeof b);
  write(safetensors_header(headers, {{"made", "here"}}) + data);
  const NpyArray first = read_safetensors(path + "#a");
  EXPECT_EQ(first.shape, (std::vector<Index>{2, 1}));
  EXPECT_EQ(first.values, (Vector{1.5, -2.0}));
  EXPECT_EQ(read_safetensors(path + "#b").values, Vector{0.25});
  const std::vector<TensorHeader> found = read_tensor_headers(path);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].name, "b");
  EXPECT_EQ(found[0].shape, (std::vector<Index>{2, 1}));
  EXPECT_EQ(read_tensor(path, "b").values, Vector{0.25});
  expect_error(ErrorCode::kUsage, "name one", [&] { read_safetensors(path); });
  expect_error(ErrorCode::kUsage, "no tensor 'c'", [&] { read_safetensors(path + "#c"); });
}

// 0x3c00 is 1 in binary16, 0x3f80 in bfloat16.
TEST_F(SafetensorsInput, WidensShortTypes) {
  write(
      R"({"h":{"dtype":"F16","shape":[1],"data_offsets":[0,2]},"i":{"dtype":"BF16","shape":[1],"data_offsets":[2,4]}})",
      std::string("\x00\x3c\x80\x3f", 4));
  EXPECT_EQ(read_safetensors(path + "#h").values, Vector{1.0});
  EXPECT_EQ(read_safetensors(path + "#i").values, Vector{1.0});
}

TEST_F(SafetensorsInput, RefusesBrokenHeaders) {
  const auto broken = [&](const std::string& header, const std::string& data, const char* text) {
    write(header, data);
    expect_error(ErrorCode::kMalformed, text, [&] { read_safetensors(path); });
  };
  broken(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "0000", "does not hold");
  broken(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "00000", "follow the header");
  broken(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", "00000000", "begins at 4");
  broken(R"({"a":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}})", "0000", "unknown dtype");
  broken(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "0000", "dimension -1");
  broken(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]}})", "0000",
         "dimension");
  broken(R"({"__metadata__":{"k":1}})", "", "/__metadata__/k");
  broken(R"([1])", "", "begin with '{'");
  broken(R"({"a":)", "", "t.safetensors");
  write(length_of(std::size_t{1} << 60) + "{}");
  expect_error(ErrorCode::kMalformed, "header of", [&] { read_safetensors(path); });
  write("short");
  expect_error(ErrorCode::kMalformed, "no safetensors", [&] { read_safetensors(path); });
}

TEST_F(SafetensorsInput, NamesTheFirstValueThatIsNotFinite) {
  write(R"({"h":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})",
        std::string("\x00\x3c\x00\x7c", 4));
  expect_error(ErrorCode::kNumeric, "value 1", [&] { read_safetensors(path); });
  EXPECT_EQ(read_safetensors(path, {.allow_nonfinite = true}).values.size(), 2u);
}

}  // namespace
}  // namespace sextant
