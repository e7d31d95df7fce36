// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file: a Python dict literal with exactly the keys descr, fortran_order and
// shape. NumPy evaluates it; here a small grammar reads it and nothing else.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/stored_values.h"
#include "sextant/matrix.h"

namespace sextant {

// NumPy's own limit before version 2.
inline constexpr std::size_t kMaxNpyDims = 32;

struct NpyHeader {
  StoredType storage;
  std::string descr;
  bool fortran_order = false;
  std::vector<Index> shape;  // nothing negative; the product may overflow
};

// Throws kMalformed with `file` and the column, from 1.
NpyHeader parse_npy_header(std::string_view file, std::string_view text);

// As Python prints a tuple: "()", "(3,)", "(2, 3)".
std::string npy_shape_text(std::span<const Index> shape);

}  // namespace sextant
