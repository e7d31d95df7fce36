// SPDX-License-Identifier: Apache-2.0
// Tab-separated rows: one line each.
#include <fmt/format.h>

#include <cstring>

#include "base/check.h"
#include "corpus/table_rows.h"

namespace sextant {
namespace {

class TsvRows final : public TableRows {
 public:
  explicit TsvRows(LineSource& lines) : lines_(lines) {}

  bool next(TableRow& row) override {
    while (lines_.next(line_)) {
      if (!line_.fault.empty()) {
        lines_.leave_out(line_.number, line_.fault);
      } else if (line_.text.empty()) {
        ++lines_.log().blank;
      } else {
        row.line = line_.number;
        split_fields(line_.text, '\t', lines_, row);
        return true;
      }
    }
    return false;
  }

 private:
  LineSource& lines_;
  Line line_;
};

}  // namespace

void split_fields(std::string_view text, char separator, const LineSource& lines, TableRow& row) {
  row.fields.clear();
  for (;;) {
    const std::size_t stop = text.find(separator);
    row.fields.push_back(text.substr(0, stop));
    if (row.fields.size() > kMostTableColumns) refuse_columns(lines, row.line);
    if (stop == text.npos) return;
    text.remove_prefix(stop + 1);
  }
}

void refuse_columns(const LineSource& lines, std::uint64_t line) {
  fail(ErrorCode::kRefused, lines.where(line), "more than {} columns, the limit",
       kMostTableColumns);
}

std::unique_ptr<TableRows> make_tsv_rows(LineSource& lines) {
  return std::make_unique<TsvRows>(lines);
}

}  // namespace sextant
