// SPDX-License-Identifier: Apache-2.0
// Small GGUF files, written from the description of the format. Nothing is checked: tests want
// broken ones too.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace sextant {

// The bytes of a number on a little-endian machine, where the tests run.
template <typename Number>
std::string raw(Number value) {
  std::string bytes(sizeof(Number), '\0');
  std::memcpy(bytes.data(), &value, sizeof(Number));
  return bytes;
}

inline std::string gguf_string(std::string_view text) {
  return raw<std::uint64_t>(text.size()).append(text);
}

// A key with the number of its type and the bytes of its value.
struct GgufPair {
  std::string key;
  std::uint32_t type = 4;
  std::string value;
};

inline GgufPair gguf_u32(std::string key, std::uint32_t value) {
  return {std::move(key), 4, raw(value)};
}
inline GgufPair gguf_f32(std::string key, float value) { return {std::move(key), 6, raw(value)}; }
inline GgufPair gguf_text(std::string key, std::string_view value) {
  return {std::move(key), 8, gguf_string(value)};
}
inline GgufPair gguf_array(std::string key, std::uint32_t type, std::uint64_t length,
                           std::string_view elements) {
  return {std::move(key), 9, (raw(type) + raw(length)).append(elements)};
}

struct GgufEntry {
  std::string name;
  std::vector<std::int64_t> dims;  // as ggml counts them, the fastest first
  std::uint32_t type = 0;
  std::uint64_t offset = 0;
};

// `data` begins at the next multiple of `alignment`.
inline std::string gguf_bytes(const std::vector<GgufPair>& pairs,
                              const std::vector<GgufEntry>& tensors, std::string_view data,
                              std::uint32_t version = 3, std::size_t alignment = 32) {
  std::string bytes = "GGUF";
  bytes += raw(version) + raw<std::uint64_t>(tensors.size()) + raw<std::uint64_t>(pairs.size());
  for (const GgufPair& pair : pairs) bytes += gguf_string(pair.key) + raw(pair.type) + pair.value;
  for (const GgufEntry& tensor : tensors) {
    bytes += gguf_string(tensor.name) + raw(static_cast<std::uint32_t>(tensor.dims.size()));
    for (const std::int64_t n : tensor.dims) bytes += raw(n);
    bytes += raw(tensor.type) + raw(tensor.offset);
  }
  bytes.append((alignment - bytes.size() % alignment) % alignment, '\0');
  return bytes.append(data);
}

}  // namespace sextant
