// SPDX-License-Identifier: Apache-2.0
// Files of weights that we do not open: reading a pickle runs the code in it, and the rest would
// need libraries. docs/model-files.md tells how to convert them.
#pragma once

#include <filesystem>

#include "io/bounded_reader.h"

namespace sextant {

// By extension, of a path that need not exist: .pt .pth .bin .pkl .ckpt .npz .h5 and the like are
// kMalformed.
void refuse_foreign_format(const std::filesystem::path& path);

// By the first bytes: those of a zip archive, of a pickle or of HDF5 are kMalformed. Not for a
// sound .safetensors file: the bytes of its length may be those of a pickle.
void refuse_foreign_format(const BoundedReader& input);

}  // namespace sextant
