// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy, versions 1.0 to 3.0, read by a small grammar: nothing is executed, and every size
// is checked against the file before anything is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

class BoundedReader;

struct NpyArray {
  std::vector<Index> shape;  // row-major, whatever the file's order was
  Vector values;             // any real dtype, widened to double
};

// Accepts f2, f4, f8, i1..i8, u1..u8, b1 in either byte order, C or Fortran order. Throws
// kUnreadable, kMalformed (with the offset or the header's column), kRefused when the values take
// more than `max_bytes` of memory, and kNumeric with the first index of a value that is not finite
// (unless `allow_nonfinite`) or of an integer that no double equals.
struct NpyOptions {
  std::uint64_t max_bytes = std::uint64_t{1} << 34;
  bool allow_nonfinite = false;
};
NpyArray read_npy(const std::filesystem::path& path, const NpyOptions& options = {});
NpyArray read_npy(BoundedReader& input, const NpyOptions& options = {});  // all of it

// The header of a version 1.0 file up to the data, padded to 64 bytes. `descr` such as "<f4".
std::string npy_header(std::string_view descr, std::span<const Index> shape);

}  // namespace sextant
