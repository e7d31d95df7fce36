// SPDX-License-Identifier: Apache-2.0
// Rules of the format: offsets are contiguous and relative to the end of the header; metadata maps
// strings to strings; blanks may pad the end of the JSON.
#include "io/safetensors.h"

#include <cstdint>

#include "base/check.h"
#include "base/text.h"
#include "io/json.h"

namespace sextant {
namespace {

constexpr const char* kMetadata = "__metadata__";

Index bytes_per_value(const TensorHeader& tensor) {
  if (tensor.dtype == "F64") return 8;
  if (tensor.dtype == "F32") return 4;
  if (tensor.dtype == "F16" || tensor.dtype == "BF16") return 2;
  fail(ErrorCode::kUsage, escaped(tensor.name), "dtype must be F64, F32, F16 or BF16 but got '{}'",
       escaped(tensor.dtype));
}

Index byte_count(const TensorHeader& tensor) {
  Index bytes = bytes_per_value(tensor);
  for (const Index n : tensor.shape) {
    require(n >= 0, escaped(tensor.name), "dimension must not be negative but got {}", n);
    require(!__builtin_mul_overflow(bytes, n, &bytes), escaped(tensor.name),
            "shape must fit 63 bits");
  }
  return bytes;
}

}  // namespace

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

}  // namespace sextant
