// SPDX-License-Identifier: Apache-2.0
// GGUF, versions 2 and 3, little-endian: metadata and the directory of tensors. Everything is
// checked before it is used; of the data only the tensor that is asked for is read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/npy.h"
#include "sextant/matrix.h"

namespace sextant {

enum class GgufType : std::uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64
};

// Widened within its kind, never from one kind to another.
using GgufScalar = std::variant<std::uint64_t, std::int64_t, double, bool, std::string>;

// Longer arrays, such as vocabularies, are checked but not kept.
inline constexpr std::uint64_t kMostGgufElements = 4096;

struct GgufArray {
  GgufType type = GgufType::kU8;  // of the elements
  std::uint64_t length = 0;
  std::vector<GgufScalar> values;  // empty when longer than kMostGgufElements
};

using GgufValue = std::variant<std::uint64_t, std::int64_t, double, bool, std::string, GgufArray>;

struct GgufTensor {
  std::string name;
  std::string type;          // "F32", "Q4_K" (ggml_type.h)
  std::vector<Index> shape;  // row-major: ggml's dimensions from the last to the first
  std::uint64_t offset = 0;  // from the start of the file
  std::uint64_t bytes = 0;
};

struct GgufFile {
  std::string name;  // for messages
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;
  std::map<std::string, GgufValue> metadata;
  std::vector<GgufTensor> tensors;  // in the order of the directory

  // Null when absent; kMalformed when it is of another kind than T, one of GgufValue's.
  template <typename T>
  const T* find(const std::string& key) const {
    const auto found = metadata.find(key);
    if (found == metadata.end()) return nullptr;
    const T* value = std::get_if<T>(&found->second);
    if (value == nullptr) fail_kind(key);
    return value;
  }
  const GgufTensor* find_tensor(std::string_view tensor) const;  // null when absent

 private:
  [[noreturn]] void fail_kind(const std::string& key) const;
};

// Throws kUnreadable, kMalformed with the offset, and kRefused for more than 200000 keys or tensors
// or more than 256 MiB of metadata to keep.
GgufFile read_gguf(const std::filesystem::path& path);
GgufFile read_gguf(BoundedReader& input);

// A tensor of F64, F32, F16 or BF16, or the only one where the name is empty. Throws as read_gguf()
// and read_tensor() do.
NpyArray read_gguf_tensor(const std::filesystem::path& path, std::string_view name,
                          const NpyOptions& options = {});
NpyArray read_gguf_tensor(BoundedReader& input, std::string_view name,
                          const NpyOptions& options = {});

}  // namespace sextant
