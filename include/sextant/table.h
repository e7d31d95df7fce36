// SPDX-License-Identifier: Apache-2.0
// Encodings as arrays of numbers in the type that a file or an engine wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sextant/encoding.h"

namespace sextant {

enum class Dtype { kF64, kF32, kF16, kBF16 };
std::string_view name(Dtype dtype);  // "f64", ...
Index bytes_per_value(Dtype dtype);

enum class TableKind {
  kRows,     // input table, [n, dim]
  kCos,      // magnitude cos(t w_j), [n, rotating pairs], pairs in their order
  kSin,      // magnitude sin(t w_j)
  kInvFreq,  // w_j, [rotating pairs]; needs no positions
  kBias,     // logit bias, [heads, n, n], query before key
  kMatrix,   // magnitude^2 A(t), t read as a lag, [n, dim, dim]
};
std::string_view name(TableKind kind);  // "rows", "cos", ...

struct TableRequest {
  TableKind kind = TableKind::kRows;
  Positions positions = Positions::range(1);
  Extent extent = {};  // extent.positions is the current length for rules that depend on it
  Dtype dtype = Dtype::kF32;
  Index threads = 1;
};

// Little-endian values, row-major.
struct Table {
  std::vector<Index> shape;
  Dtype dtype = Dtype::kF32;
  std::vector<std::byte> bytes;
};

// Frequencies of the rotating pairs, in their order, and the factor on cos and sin.
struct RotaryLadder {
  std::vector<DoubleDouble> inv_freq;
  std::vector<Index> axis;  // which coordinate of the position turns the pair
  DoubleDouble magnitude = 1.0;
};

// The ladder of an encoding that turns pairs; nothing for the others.
std::optional<RotaryLadder> rotary_ladder(const Effects& effects);

// The kind that shows the most of an encoding: rows, cos, bias or matrix.
TableKind default_kind(const Effects& effects);

// The shape of the answer and what it takes, before any of it is made. Throws kUsage when the
// encoding has no such table, kRefused when the byte count does not fit 63 bits.
std::vector<Index> table_shape(const Effects& effects, const TableRequest& request);
std::uint64_t table_bytes(const Effects& effects, const TableRequest& request);

// f32 cos and sin are within 0.5001 ulp of the true value, f64 within 1 ulp + 2^-100 |phase|, f16
// and bf16 within 0.502 ulp (docs/numerics.md). The same bits for every number of threads.
// Throws kNumeric with the first index when a value is not finite (a bias may be -infinity).
Table make_table(const Encoding& encoding, const TableRequest& request);

}  // namespace sextant
