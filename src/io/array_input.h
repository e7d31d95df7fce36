// SPDX-License-Identifier: Apache-2.0
// An array of numbers by the name that a user types, whatever the format of its file.
#pragma once

#include <string_view>

#include "io/npy.h"

namespace sextant {

// True for FILE.safetensors, FILE.gguf and both with #tensor.name.
bool names_tensor_file(std::string_view text);

// FILE.npy, FILE.safetensors#tensor, FILE.gguf#tensor, or FOLDER#tensor of a model in one or
// several .safetensors files. A file with one tensor needs no '#'. Throws as the reader of the
// format does, and kMalformed for formats that are not read (foreign_format.h).
NpyArray read_array(std::string_view text, const NpyOptions& options = {});

}  // namespace sextant
