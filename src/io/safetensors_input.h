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

// The tensor of this name, or the only one where the name is empty. F64, F32, F16 and BF16, widened
// to double. Throws kUsage for a name that is not there (with the nearest) or when several tensors
// are there and none is named, kUnreadable, kMalformed with the place, kRefused beyond
// options.max_bytes, and kNumeric with the index of the first value that is not finite (unless
// allowed).
NpyArray read_tensor(const std::filesystem::path& path, std::string_view name,
                     const NpyOptions& options = {});
NpyArray read_tensor(BoundedReader& input, std::string_view name, const NpyOptions& options = {});

// Names, types and shapes of all tensors, in the order of their data. Types are those of the file:
// also those that read_tensor() does not read.
std::vector<TensorHeader> read_tensor_headers(const std::filesystem::path& path);
std::vector<TensorHeader> read_tensor_headers(BoundedReader& input);

// More tensors in one model are kRefused.
inline constexpr std::size_t kMostTensors = 200000;

// "has no tensor 'wp' (did you mean 'wpe'?)" or "name one": what read_tensor() says, kUsage.
[[noreturn]] void fail_tensor_name(std::string_view file, std::string_view name,
                                   std::span<const std::string> names);

}  // namespace sextant
