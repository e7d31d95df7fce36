// SPDX-License-Identifier: Apache-2.0
// Tensors of a .safetensors file that others wrote. Every size is checked before anything is
// allocated, and the whole header must be sound even if only one tensor is wanted.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "io/npy.h"
#include "io/safetensors.h"

namespace sextant {

// True for FILE.safetensors and FILE.safetensors#tensor.name.
bool names_safetensors(std::string_view text);

// The tensor after '#', or the only one. F64, F32, F16 and BF16, widened to double. Throws kUsage
// for a name that is not there (with the nearest) or when several tensors are there and none is
// named, kUnreadable, kMalformed with the place, kRefused beyond options.max_bytes, and kNumeric
// with the index of the first value that is not finite (unless allowed).
NpyArray read_safetensors(std::string_view text, const NpyOptions& options = {});

// The same of a file by its path alone, whatever characters it has.
NpyArray read_tensor(const std::filesystem::path& path, std::string_view name,
                     const NpyOptions& options = {});

// Names, types and shapes of all tensors, in the order of their data. Types are those of the file:
// integers too, which read_tensor() does not read.
std::vector<TensorHeader> read_tensor_headers(const std::filesystem::path& path);

// An array of numbers from either kind of file, by its name: FILE.npy, FILE.safetensors#name.
NpyArray read_array(std::string_view text, const NpyOptions& options = {});

}  // namespace sextant
