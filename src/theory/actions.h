// SPDX-License-Identifier: Apache-2.0
// What a position does, as a point of a Euclidean space: rows of tables, operators A(t), biases and
// key offsets at lag t, side by side. Distances between points are the distances between actions.
#pragma once

#include <string>

#include "sextant/encoding.h"

namespace sextant {

struct Actions {
  // [positions, columns]. The rows of an input table come first, then the coordinates of the
  // operators (Frobenius over sqrt d), b_h of every head, then u, v, c of the first head. Nothing
  // relative depends on the query but a bias that says so: there the last position asks.
  Matrix points;
  Index row_columns = 0;  // of the input table; 0 without one
  Index bias_column = 0;  // where the heads of a bias begin
  std::string acts;       // "rows", "operators", "bias", "key offsets", joined by " + "; "nothing"
  std::string ends;       // why there are fewer points than positions; else empty
};

// Of positions 0..extent.positions-1, or up to the first at which a site throws. Operators have at
// most d coordinates: d^2 numbers per position are never stored. Throws kRefused beyond memory.
Actions actions(const Effects& effects, const Extent& extent);

// Whether the operators of a map along the diagonal are only known as matrices: then d^3 numbers
// hold a basis of their span, and each position costs O(d^3).
bool is_dense(const QueryKeyMap& line);

// The map of scalar positions, which count on every axis, as one group: exp(t sum_a X_a). The same
// operators as map.at(t), without a decomposition for each t.
QueryKeyMap along_the_diagonal(const QueryKeyMap& map);

}  // namespace sextant
