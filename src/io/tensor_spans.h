// SPDX-License-Identifier: Apache-2.0
// Where the values of arrays lie in a file, for work on them that leaves all other bytes alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "io/atomic_file.h"
#include "io/input_file.h"
#include "io/safetensors.h"

namespace sextant {

struct TensorSpan {
  TensorHeader header;  // of .npy: no name, and F64, F32 or F16
  std::uint64_t offset = 0, bytes = 0;
};

// All tensors of FILE.safetensors in the order of their data, or the array of FILE.npy. Throws as
// the readers of these formats do, and kUsage for another extension and for a .npy file that is not
// of floating point, little-endian and in C order.
std::vector<TensorSpan> tensor_spans(const std::filesystem::path& path);

// The whole file, a block at a time. The caller commits, and checks that the input stayed the same.
void copy_file(const InputFile& input, AtomicFile& output);

}  // namespace sextant
