// SPDX-License-Identifier: Apache-2.0
// A table in the words of a user: everything that is known before its numbers are made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sextant/registry.h"
#include "sextant/table.h"

namespace sextant {

inline const std::vector<std::string> kTableWords = {"rows",     "cos",  "sin",
                                                     "inv_freq", "bias", "matrix"};
inline const std::vector<std::string> kDtypeWords = {"f32", "f64", "f16", "bf16"};

inline constexpr Index kTablePositions = 64;  // where nothing else is asked for
inline constexpr Index kTableDim = 64;
inline constexpr Index kTableHeads = 8;

struct TableWish {
  std::string spec;
  std::optional<Index> positions = {};
  std::optional<double> offset = {};
  std::optional<Positions> at = {};  // in place of both
  std::optional<Index> dim = {}, heads = {}, length = {};
  std::string what = {};   // empty: the kind that shows the most
  std::string dtype = {};  // empty: f32
  std::optional<std::uint64_t> memory = {};
  Index threads = 1;
};

struct TablePlan {
  std::unique_ptr<Encoding> encoding;
  TableRequest request;
  Effects effects;
};

// Throws kUsage where the encoding has no such table, kRefused where it does not fit the memory.
// Errors name the options of the command line.
TablePlan plan_table(const TableWish& wish);

// 25800000000 -> "25.8 GB".
std::string gigabytes(double bytes);

}  // namespace sextant
