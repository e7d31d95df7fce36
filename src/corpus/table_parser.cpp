// SPDX-License-Identifier: Apache-2.0
// From rows of a table to records: which column is the text, which the group.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/check.h"
#include "base/text.h"
#include "corpus/record_parser.h"
#include "corpus/table_rows.h"

namespace sextant {
namespace {

class TableParser final : public RecordParser {
 public:
  TableParser(RecordFormat format, LineSource& lines, const RecordOptions& options)
      : tabs_(format == RecordFormat::kTsv),
        lines_(lines),
        options_(options),
        rows_(tabs_ ? make_tsv_rows(lines) : make_csv_rows(lines)) {}

  bool next(RecordBatch& batch) override {
    while (rows_->next(row_)) {
      if (columns_ == 0 && !start(lines_)) continue;
      if (row_.fields.size() != columns_) {
        lines_.leave_out(row_.line, fmt::format("{} columns; expected {} as in line {}",
                                                row_.fields.size(), columns_, first_line_));
        continue;
      }
      append_record(batch, row_.fields[text_], group_ ? row_.fields[*group_] : std::string_view(),
                    lines_, row_.line);
      return true;
    }
    return false;
  }

  bool learns() const override { return true; }
  void learn(LineSource& before) override {
    const std::unique_ptr<TableRows> rows = tabs_ ? make_tsv_rows(before) : make_csv_rows(before);
    if (rows->next(row_)) start(before);
  }

 private:
  // Learns the columns from the row at hand, the first of the file and one of `lines`; false when
  // that is a header.
  bool start(const LineSource& lines) {
    const std::string where = lines.where(row_.line);
    check_separator(where);
    const auto is_name = [](const std::string& column) {
      return !column.empty() && !parse_integer(column);
    };
    text_ = options_.text_column.empty() ? row_.fields.size() - 1
                                         : column(options_.text_column, "text", where);
    if (!options_.group_column.empty())
      group_ = column(options_.group_column, options_.group_role, where);
    require(group_ != text_, where,
            "column {} would be both text and {}; --text-column and --{}-column must name two "
            "columns (the text is the last one unless named)",
            text_ + 1, options_.group_role, options_.group_role);
    columns_ = row_.fields.size();
    first_line_ = lines.line_of_file(row_.line);
    return !is_name(options_.text_column) && !is_name(options_.group_column);
  }

  // One column is a table only for one who asks for that column.
  void check_separator(const std::string& where) const {
    if (row_.fields.size() > 1) return;
    const std::string_view only = row_.fields[0];
    if (options_.text_column == "1" || options_.text_column == only) return;
    const std::size_t other = only.find_first_of(tabs_ ? ",;|" : ";|\t");
    if (other == only.npos && !options_.text_column.empty() &&
        !parse_integer(options_.text_column)) {
      return;
    }
    fail(
        ErrorCode::kMalformed, where,
        "no {} in the first row{}; expected at least two columns (--format text reads whole lines)",
        tabs_ ? "tab" : "comma",
        other == only.npos ? "" : fmt::format(" but '{}'", escaped(only.substr(other, 1))));
  }

  // The index of a column given by number or by name in the header, which is the row at hand.
  std::size_t column(const std::string& name, std::string_view role,
                     const std::string& where) const {
    const auto& fields = row_.fields;
    if (const std::optional<Index> number = parse_integer(name)) {
      require(*number >= 1 && *number <= static_cast<Index>(fields.size()), where,
              "{} column {} asked for; the table has columns 1 to {}", role, *number,
              fields.size());
      return static_cast<std::size_t>(*number - 1);
    }
    const auto found = std::find(fields.begin(), fields.end(), name);
    if (found == fields.end()) {
      const std::vector<std::string> names(fields.begin(), fields.end());
      fail(ErrorCode::kUsage, where, "the header has no {} column '{}'{}", role, escaped(name),
           escaped(suggestion(name, names)));
    }
    require(std::find(found + 1, fields.end(), name) == fields.end(), where,
            "the header has the {} column '{}' twice", role, escaped(name));
    return static_cast<std::size_t>(found - fields.begin());
  }

  bool tabs_;
  LineSource& lines_;
  const RecordOptions& options_;
  std::unique_ptr<TableRows> rows_;
  TableRow row_;
  std::size_t columns_ = 0;  // 0: no row yet
  std::size_t text_ = 0;
  std::optional<std::size_t> group_;
  std::uint64_t first_line_ = 0;
};

}  // namespace

std::unique_ptr<RecordParser> make_table_parser(RecordFormat format, LineSource& lines,
                                                const RecordOptions& options) {
  return std::make_unique<TableParser>(format, lines, options);
}

}  // namespace sextant
