// SPDX-License-Identifier: Apache-2.0
// Values of an array as they lie in a file, whatever its format.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "io/bounded_reader.h"
#include "io/npy.h"
#include "sextant/matrix.h"

namespace sextant {

struct StoredType {
  char kind = 'f';  // f IEEE, g bfloat16, i, u or b
  std::size_t bytes = 0;
  bool big_endian = false;
};

// Of F64, F32, F16 and BF16, as safetensors and ggml call them; another is kMalformed at `where`.
StoredType real_type(std::string_view name, std::string_view where);

// What `unit` per value takes for all of a shape, in the same unit; nothing when it does not fit 63
// bits. An axis of length 0 makes it 0 but hides no overflow of the others. REQUIRES: no axis is
// negative.
std::optional<Index> packed_size(Index unit, std::span<const Index> shape);

// The values from the position on, as doubles in row-major order. `where` names the array in
// messages. Throws as read_npy() does of values.
NpyArray read_values(BoundedReader& input, const StoredType& type, std::vector<Index> shape,
                     bool fortran_order, std::string_view where, const NpyOptions& options);

}  // namespace sextant
