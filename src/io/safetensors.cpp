// SPDX-License-Identifier: Apache-2.0
// Rules of the format: offsets are contiguous and relative to the end of the header; metadata maps
// strings to strings; blanks may pad the end of the JSON.
#include "io/safetensors.h"

#include <cstdint>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "io/json.h"
#include "io/stored_values.h"

namespace sextant {
namespace {

constexpr const char* kMetadata = "__metadata__";

Index byte_count(const TensorHeader& tensor) {
  const std::string where = escaped(tensor.name);
  const std::optional<Index> unit = safetensors_bits(tensor.dtype);
  require(unit.has_value(), where, "dtype must be one of the format, such as F32, but got '{}'",
          escaped(tensor.dtype));
  for (const Index n : tensor.shape)
    require(n >= 0, where, "dimension must not be negative but got {}", n);
  const std::optional<Index> bits = packed_size(unit.value_or(0), tensor.shape);
  require(bits.has_value(), where, "shape must fit 63 bits");
  require(bits.value_or(0) % 8 == 0, where, "values must fill whole bytes");
  return bits.value_or(0) / 8;
}

}  // namespace

std::optional<Index> safetensors_bits(std::string_view dtype) {
  constexpr std::pair<std::string_view, Index> kBits[] = {
      {"F64", 64},    {"F32", 32},    {"F16", 16},        {"BF16", 16},       {"I64", 64},
      {"U64", 64},    {"I32", 32},    {"U32", 32},        {"I16", 16},        {"U16", 16},
      {"I8", 8},      {"U8", 8},      {"BOOL", 8},        {"C64", 64},        {"F8_E4M3", 8},
      {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"F6_E2M3", 6},
      {"F6_E3M2", 6}, {"F4", 4}};
  for (const auto& [name, bits] : kBits)
    if (dtype == name) return bits;
  return std::nullopt;
}

std::string safetensors_header(std::span<const TensorHeader> tensors,
                               const std::map<std::string, std::string>& metadata) {
  Json json = Json::object();
  if (!metadata.empty()) json[kMetadata] = metadata;
  Index begin = 0, end = 0;
  for (const TensorHeader& tensor : tensors) {
    require(tensor.name != kMetadata && !json.contains(tensor.name), escaped(tensor.name),
            "tensor name must be unique and not {}", kMetadata);
    require(!__builtin_add_overflow(begin, byte_count(tensor), &end), escaped(tensor.name),
            "all tensors must fit 63 bits");
    json[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string header;
  for (int shift = 0; shift < 64; shift += 8)
    header += static_cast<char>(std::uint64_t{text.size()} >> shift & 0xff);
  return header + text;
}

void write_safetensors(AtomicFile& file, std::span<const StoredTensor> tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::vector<TensorHeader> headers;
  headers.reserve(tensors.size());
  for (const auto& [header, bytes] : tensors) {
    const Index expected = byte_count(header);
    require(std::ssize(bytes) == expected, escaped(header.name),
            "shape needs {} bytes but {} are given", expected, bytes.size());
    headers.push_back(header);
  }
  file.write(safetensors_header(headers, metadata));
  for (const StoredTensor& tensor : tensors) file.write(tensor.bytes);
}

}  // namespace sextant
