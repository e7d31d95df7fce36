// SPDX-License-Identifier: Apache-2.0
// Rows of delimited tables: fields, no meaning yet.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "corpus/line_source.h"

namespace sextant {

inline constexpr std::size_t kMostTableColumns = 100'000;

struct TableRow {
  std::vector<std::string_view> fields;  // valid until the next row is read
  std::uint64_t line = 0;                // where it begins
};

class TableRows {
 public:
  virtual ~TableRows() = default;
  // Leaves out bad rows and blank lines; false at the end.
  virtual bool next(TableRow& row) = 0;
};

// Fields are literal: no quoting.
std::unique_ptr<TableRows> make_tsv_rows(LineSource& lines);
// RFC 4180: a field in quotes may hold commas, line ends and doubled quotes.
std::unique_ptr<TableRows> make_csv_rows(LineSource& lines);

// Cuts `text` at every `separator`. Throws kRefused above kMostTableColumns.
void split_fields(std::string_view text, char separator, const LineSource& lines, TableRow& row);
[[noreturn]] void refuse_columns(const LineSource& lines, std::uint64_t line);

}  // namespace sextant
