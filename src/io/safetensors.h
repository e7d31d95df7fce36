// SPDX-License-Identifier: Apache-2.0
// The .safetensors format: eight bytes of length, then JSON, then the data.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/atomic_file.h"
#include "sextant/matrix.h"

namespace sextant {

struct TensorHeader {
  std::string name;
  std::string dtype;  // as the format spells it: "F32", "BF16", "F8_E4M3"
  std::vector<Index> shape;
};

// Bits per value, below 8 for the packed types; nothing for a dtype that the format does not have.
std::optional<Index> safetensors_bits(std::string_view dtype);

// Everything before the data, which starts at a multiple of 8 and holds the tensors in the given
// order without gaps. Put wide types first to keep every tensor aligned to its own type. Throws
// kUsage for a name that repeats or is "__metadata__", an unknown dtype, or a negative or too large
// shape or one that does not end with a byte.
std::string safetensors_header(std::span<const TensorHeader> tensors,
                               const std::map<std::string, std::string>& metadata = {});

struct StoredTensor {
  TensorHeader header;
  std::span<const std::byte> bytes;  // little-endian, row-major
};

// A whole file; the caller commits. Throws as safetensors_header() does and kUsage when the bytes
// of a tensor are not those of its shape.
void write_safetensors(AtomicFile& file, std::span<const StoredTensor> tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace sextant
