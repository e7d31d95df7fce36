// SPDX-License-Identifier: Apache-2.0
// Every truncation and every wrong byte of a small file of each format ends in a documented error
// or in a parse that is sound.
#include <gtest/gtest.h>

#include <functional>

#include "io/bounded_reader.h"
#include "io/gguf.h"
#include "io/json_input.h"
#include "io/safetensors_input.h"
#include "support/seed_files.h"

namespace sextant {
namespace {

using Read = std::function<void(const std::string&)>;

void expect_sound(const NpyArray& array) {
  Index count = 1;
  for (const Index n : array.shape) count *= n;
  EXPECT_EQ(count, std::ssize(array.values));
}

void read_npy_bytes(const std::string& bytes) {
  BoundedReader input(bytes, "a");
  expect_sound(read_npy(input));
}

void read_safetensors_bytes(const std::string& bytes) {
  BoundedReader input(bytes, "a");
  for (const TensorHeader& tensor : read_tensor_headers(input)) {
    if (tensor.dtype != "F32") continue;
    BoundedReader again(bytes, "a");
    expect_sound(read_tensor(again, tensor.name));
  }
}

void read_gguf_bytes(const std::string& bytes) {
  BoundedReader input(bytes, "a");
  const GgufFile file = read_gguf(input);
  for (const GgufTensor& tensor : file.tensors) {
    EXPECT_LE(tensor.offset + tensor.bytes, bytes.size());
    EXPECT_EQ(tensor.offset % file.alignment, 0U);
    if (tensor.type != "F32") continue;
    BoundedReader again(bytes, "a");
    expect_sound(read_gguf_tensor(again, tensor.name));
  }
}

void read_json_bytes(const std::string& bytes) { parse_json(bytes, "a"); }

// True when it parses.
bool documented(const Read& read, const std::string& bytes) {
  try {
    read(bytes);
    return true;
  } catch (const Error& error) {
    const ErrorCode code = error.code();
    EXPECT_TRUE(code == ErrorCode::kMalformed || code == ErrorCode::kNumeric) << error.what();
    EXPECT_EQ(std::string(error.what()).rfind("a", 0), 0U) << error.what();
    return false;
  }
}

void expect_malformed_when_cut(const Read& read, const std::string& seed) {
  ASSERT_TRUE(documented(read, seed));
  for (std::size_t length = 0; length < seed.size(); ++length) {
    EXPECT_FALSE(documented(read, seed.substr(0, length))) << length;
  }
}

// All other values of every byte.
void expect_documented_when_changed(const Read& read, const std::string& seed) {
  ASSERT_LT(seed.size(), 600U);
  int parsed = 0, refused = 0;
  std::string bytes = seed;
  for (std::size_t at = 0; at < seed.size(); ++at) {
    for (int change = 1; change < 256; ++change) {
      bytes[at] = static_cast<char>(static_cast<unsigned char>(seed[at]) ^ change);
      ++(documented(read, bytes) ? parsed : refused);
    }
    bytes[at] = seed[at];
  }
  EXPECT_GT(parsed, 0);
  EXPECT_GT(refused, 0);
}

TEST(DamagedFiles, NpyIsCheckedAtEveryByte) {
  expect_malformed_when_cut(read_npy_bytes, npy_seed());
  expect_documented_when_changed(read_npy_bytes, npy_seed());
}

TEST(DamagedFiles, SafetensorsIsCheckedAtEveryByte) {
  expect_malformed_when_cut(read_safetensors_bytes, safetensors_seed());
  expect_documented_when_changed(read_safetensors_bytes, safetensors_seed());
}

TEST(DamagedFiles, GgufIsCheckedAtEveryByte) {
  expect_malformed_when_cut(read_gguf_bytes, gguf_seed());
  expect_documented_when_changed(read_gguf_bytes, gguf_seed());
}

TEST(DamagedFiles, JsonIsCheckedAtEveryByte) {
  expect_malformed_when_cut(read_json_bytes, json_seed());
  expect_documented_when_changed(read_json_bytes, json_seed());
}

}  // namespace
}  // namespace sextant
