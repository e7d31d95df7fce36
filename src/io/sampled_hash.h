// SPDX-License-Identifier: Apache-2.0
// Whether files are the same on two machines, or at two times.
#pragma once

#include <cstdint>

#include "io/input_file.h"

namespace sextant {

// Files that together have at most so many bytes are hashed whole; of more, each is looked at in
// seventeen pieces of 4 KiB, evenly from the first bytes to the last, one in the middle. A change
// between the pieces that keeps the size is not seen then.
inline constexpr std::uint64_t kMostHashedWhole = std::uint64_t{1} << 28;

// Of the size and the contents; `total` are the bytes of all files that are compared.
std::uint64_t sampled_hash(const InputFile& file, std::uint64_t total);

}  // namespace sextant
