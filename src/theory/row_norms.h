// SPDX-License-Identifier: Apache-2.0
// How large the rows of an input table are, and how large the literature says they are: the radius
// B_0 of the inputs that generalisation bounds depend on. The token's own part is left out, B_x =
// 0: it is the same for every encoding.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "sextant/encoding.h"
#include "theory/tested_encoding.h"

namespace sextant {

// Calls use(t, row) for t = 0, 1, ..., count-1 as far as there are rows, one at a time: a table of
// all of them may be large. Why there are fewer, or "".
using RowUse = std::function<void(Index t, std::span<const double> row)>;
std::string for_each_row(const InputTable& table, const Extent& extent, Index count,
                         const RowUse& use);

// |p_t| of positions 0, 1, ... as far as there are rows.
struct SampledNorms {
  Vector norms;
  std::string ends;  // why there are fewer than asked for; else empty
};
SampledNorms sampled_norms(const InputTable& table, const Extent& extent, Index count);

// The rows themselves.
struct SampledRows {
  Matrix rows;
  std::string ends;  // why there are fewer than asked for; else empty
};
SampledRows sampled_rows(const InputTable& table, const Extent& extent, Index count);

// The first `count` of them.
Matrix first_rows(const Matrix& rows, Index count);

// |p_t| of each row, without overflow on the way.
Vector row_norms(const Matrix& rows);

// What Li (arXiv:2506.06398, table 2) gives as B_0 with B_x = 0, or what we put for it where our
// digest says 'bounded' or 'normalised' and no number.
struct PublishedRadius {
  double value = 0.0;
  double trivial = 0.0;   // what elementary arguments give; a larger value is vacuous
  std::string text = {};  // where it is from, and the exact value where that is another
  enum class Origin {
    kSource,
    kOurs,
    kMeasured  // B_p, which is that of the table itself
  } origin = Origin::kSource;
};
// None where the source is silent: other tables, Legendre polynomials that are not clamped, sums of
// tables. `longest` is the norm of the longest row of training.
std::optional<PublishedRadius> published_radius(const TestedEncoding& subject, const Extent& extent,
                                                double longest);

// No row of Daubechies wavelets is longer: at most taps-1 atoms of a scale j meet a position, each
// is at most 2^(-j/2) max|psi| there, and sum 2^-j < 1. `scales` is the number of scales.
double wavelet_radius(Index taps, int scales);

// What is bounded instead of rows: norms of operators, biases and offsets at lags 0, 1, 2, 4, ...,
// `last`. "" for an encoding that does nothing.
std::string other_norms(const Effects& effects, const Extent& extent, Index last);

}  // namespace sextant
