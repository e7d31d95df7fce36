// SPDX-License-Identifier: Apache-2.0
// The values of each kind of table, written where they stay: no second copy of a table is made.
#pragma once

#include <span>

#include "sextant/table.h"

namespace sextant {

enum class Turn { kCos, kSin };

// Each writes to `out`, which has the size of the table in request.dtype. `where` begins the
// message of an error. Throws kNumeric with the first index of a value that is not finite.
void fill_rows(const InputTable& table, Index dim, const TableRequest& request,
               std::string_view where, std::span<std::byte> out);
void fill_matrices(const QueryKeyMap& map, const TableRequest& request, std::string_view where,
                   std::span<std::byte> out);
void fill_turns(const RotaryLadder& ladder, Turn turn, const TableRequest& request,
                std::string_view where, std::span<std::byte> out);
void fill_frequencies(const RotaryLadder& ladder, Dtype dtype, std::string_view where,
                      std::span<std::byte> out);
void fill_biases(const LogitBias& bias, const TableRequest& request, std::span<std::byte> out);

// make_table() into memory of the caller: `effects` are those of the encoding for request.extent,
// `out` has table_bytes() bytes and is aligned for the type.
void write_table(const Encoding& encoding, const Effects& effects, const TableRequest& request,
                 std::span<std::byte> out);

}  // namespace sextant
