// SPDX-License-Identifier: Apache-2.0
// The header of a .safetensors file: eight bytes of length, then JSON, then the data.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

struct TensorHeader {
  std::string name;
  std::string dtype;  // "F64", "F32", "F16" or "BF16"
  std::vector<Index> shape;
};

// Everything before the data, which starts at a multiple of 8 and holds the tensors in the given
// order without gaps. Put wide types first to keep every tensor aligned to its own type. Throws
// kUsage for a name that repeats or is "__metadata__", another dtype, or a negative or too large
// shape.
std::string safetensors_header(std::span<const TensorHeader> tensors,
                               const std::map<std::string, std::string>& metadata = {});

}  // namespace sextant
