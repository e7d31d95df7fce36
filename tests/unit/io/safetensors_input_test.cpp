// SPDX-License-Identifier: Apache-2.0
#include "io/safetensors_input.h"

#include <fmt/format.h>
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
  const NpyArray first = read_tensor(path, "a");
  EXPECT_EQ(first.shape, (std::vector<Index>{2, 1}));
  EXPECT_EQ(first.values, (Vector{1.5, -2.0}));
  EXPECT_EQ(read_tensor(path, "b").values, Vector{0.25});
  const std::vector<TensorHeader> found = read_tensor_headers(path);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].name, "b");
  EXPECT_EQ(found[0].shape, (std::vector<Index>{2, 1}));
  EXPECT_EQ(read_tensor(path, "b").values, Vector{0.25});
  expect_error(ErrorCode::kUsage, "name one", [&] { read_tensor(path, ""); });
  expect_error(ErrorCode::kUsage, "no tensor 'c'", [&] { read_tensor(path, "c"); });
}

// 0x3c00 is 1 in binary16, 0x3f80 in bfloat16.
TEST_F(SafetensorsInput, WidensShortTypes) {
  write(
      R"({"h":{"dtype":"F16","shape":[1],"data_offsets":[0,2]},"i":{"dtype":"BF16","shape":[1],"data_offsets":[2,4]}})",
      std::string("\x00\x3c\x80\x3f", 4));
  EXPECT_EQ(read_tensor(path, "h").values, Vector{1.0});
  EXPECT_EQ(read_tensor(path, "i").values, Vector{1.0});
}

TEST_F(SafetensorsInput, RefusesBrokenHeaders) {
  const auto broken = [&](const std::string& header, const std::string& data, const char* text) {
    write(header, data);
    expect_error(ErrorCode::kMalformed, text, [&] { read_tensor(path, ""); });
  };
  broken(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "0000", "does not hold");
  broken(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "00000", "follow the header");
  broken(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", "00000000", "begins at 4");
  broken(R"({"a":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}})", "0000", "unknown dtype");
  broken(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "0000", "dimension -1");
  broken(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]}})", "0000",
         "must fit 63 bits");
  broken(R"({"__metadata__":{"k":1}})", "", "/__metadata__/k");
  broken(R"([1])", "", "begin with '{'");
  broken(R"({"a":)", "", "t.safetensors");
  write(length_of(std::size_t{1} << 60) + "{}");
  expect_error(ErrorCode::kMalformed, "header of", [&] { read_tensor(path, ""); });
  for (const std::size_t length : {0U, 1U, 3U}) {
    write(length_of(length) + "{}");
    expect_error(ErrorCode::kMalformed, "offset 0: header of", [&] { read_tensor(path, ""); });
  }
  write(length_of(100000001) + "{" + std::string(100000000, ' '));
  expect_error(ErrorCode::kMalformed, "header of 100000001", [&] { read_tensor(path, ""); });
  write("");
  expect_error(ErrorCode::kMalformed, "empty", [&] { read_tensor(path, ""); });
  write("PK\3\4PK\3\4PK\3\4");
  expect_error(ErrorCode::kMalformed, "format not accepted", [&] { read_tensor(path, ""); });
  write("short");
  expect_error(ErrorCode::kMalformed, "no safetensors", [&] { read_tensor(path, ""); });
}

TEST_F(SafetensorsInput, RefusesBrokenJson) {
  const auto broken = [&](const std::string& header, const char* text) {
    write(header, "0000");
    expect_error(ErrorCode::kMalformed, text, [&] { read_tensor(path, ""); });
  };
  const std::string entry = R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  broken(R"({"a":)" + entry + R"(,"\u0061":)" + entry + "}", "/a: the key is repeated");
  broken("{\"\xff\":" + entry + "}", "bad JSON");
  broken("{\"a\":" + entry + std::string("}\0}", 3), "a NUL byte");
  broken("{\"a\":" + std::string(70, '[') + std::string(70, ']') + "}", "nested deeper than 64");
  for (const char* offsets : {"[0.0,4]", "[0,4e0]", "[-4,0]", "[\"0\",4]", "[0]", "[0,4,4]", "4",
                              "[4,0]", "[0,18446744073709551615]"})
    broken(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":)" + std::string(offsets) + "}}",
           "/a/data_offsets");
  for (const char* shape : {"[1.0]", "[1e0]", "1", "[true]", "[9223372036854775808]"})
    broken(R"({"a":{"dtype":"F32","shape":)" + std::string(shape) + R"(,"data_offsets":[0,4]}})",
           "/a/shape");
  broken(R"({"a":{"dtype":"F32","shape":[0,4611686018427387904,4],"data_offsets":[0,0]}})",
         "63 bits");
  broken(R"({"__metadata__":[]})", "/__metadata__: must be an object");
}

// Two tensors of four bytes over eight.
TEST_F(SafetensorsInput, WantsTensorsSideBySide) {
  const auto header = [](const char* second, const char* third) {
    return fmt::format(
        R"({{"a":{{"dtype":"F32","shape":[1],"data_offsets":[0,4]}},"b":{{"dtype":"F32","shape":[1],"data_offsets":{}}},"c":{{"dtype":"U8","shape":[0],"data_offsets":{}}}}})",
        second, third);
  };
  for (const char* boundary : {"[0,0]", "[4,4]", "[8,8]"}) {
    write(header("[4,8]", boundary), "00000000");
    EXPECT_EQ(read_tensor_headers(path).size(), 3U) << boundary;
  }
  const auto broken = [&](const char* second, const char* third, std::size_t bytes) {
    write(header(second, third), std::string(bytes, '0'));
    expect_error(ErrorCode::kMalformed, "t.safetensors: ", [&] { read_tensor_headers(path); });
  };
  broken("[4,8]", "[2,2]", 8);  // inside another
  broken("[2,6]", "[0,0]", 6);  // overlap
  broken("[0,4]", "[0,0]", 4);
  broken("[5,9]", "[0,0]", 9);  // hole
  broken("[4,8]", "[0,0]", 7);  // beyond the end
  broken("[4,8]", "[0,0]", 9);  // trailing bytes
}

TEST_F(SafetensorsInput, KnowsTheSizesOfNarrowTypes) {
  write(
      R"({"a":{"dtype":"F8_E4M3","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"F4","shape":[2,3],"data_offsets":[3,6]}})",
      "123456");
  EXPECT_EQ(read_tensor_headers(path)[1].dtype, "F4");
  expect_error(ErrorCode::kMalformed, "has type F4", [&] { read_tensor(path, "b"); });
  write(R"({"b":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}})", "12");
  expect_error(ErrorCode::kMalformed, "whole bytes", [&] { read_tensor_headers(path); });
}

TEST_F(SafetensorsInput, LimitsTheNumberOfTensors) {
  std::string header = "{";
  for (int i = 0; i <= 200000; ++i)
    header += fmt::format(R"({}"{}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
                          i == 0 ? "" : ",", i);
  write(header + "}", "");
  expect_error(ErrorCode::kRefused, "more than 200000 tensors", [&] { read_tensor_headers(path); });
}

// The length 640 begins as a pickle of protocol 2 does.
TEST_F(SafetensorsInput, DoesNotTakeALengthForAPickle) {
  std::string header = R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})";
  header.resize(640, ' ');
  write(header, "");
  EXPECT_EQ(read_tensor_headers(path).size(), 1U);
}

TEST_F(SafetensorsInput, NamesTheFirstValueThatIsNotFinite) {
  write(R"({"h":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})",
        std::string("\x00\x3c\x00\x7c", 4));
  expect_error(ErrorCode::kNumeric, "tensor 'h': value at (1,) must be finite",
               [&] { read_tensor(path, ""); });
  EXPECT_EQ(read_tensor(path, "", {.allow_nonfinite = true}).values.size(), 2u);
}

}  // namespace
}  // namespace sextant
