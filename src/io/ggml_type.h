// SPDX-License-Identifier: Apache-2.0
// How ggml packs the values of a tensor: blocks of equal size along the last axis.
#pragma once

#include <cstdint>
#include <string_view>

#include "sextant/matrix.h"

namespace sextant {

struct GgmlType {
  std::uint32_t id = 0;
  std::string_view name;
  Index block_values = 1;
  Index block_bytes = 0;
};

// Null for a number that ggml.h does not have or has withdrawn (as of Q2_0 = 42).
const GgmlType* find_ggml_type(std::uint32_t id);

}  // namespace sextant
