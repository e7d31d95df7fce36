// SPDX-License-Identifier: Apache-2.0
// A model in several .safetensors files: model.safetensors.index.json says which tensor is where.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "io/npy.h"
#include "io/safetensors.h"

namespace sextant {

struct TensorLocation {
  std::filesystem::path path;  // of the .safetensors file that holds it
  TensorHeader header;
};

// `model` is FILE.safetensors, FILE.index.json, or a folder with model.safetensors.index.json or
// else model.safetensors. Both functions throw as those of safetensors_input.h do, kUnreadable when
// a part is missing, and kMalformed for an index that names a file outside its folder or a tensor
// that is not in its file, and for a folder with pickled weights only.

// All tensors: of one file in the order of their data, of an index by name.
std::vector<TensorLocation> locate_tensors(const std::filesystem::path& model);

// Reads the index and the one file that holds the tensor.
NpyArray read_model_tensor(const std::filesystem::path& model, std::string_view name,
                           const NpyOptions& options = {});

}  // namespace sextant
