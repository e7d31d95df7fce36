// SPDX-License-Identifier: Apache-2.0
// Comma-separated rows by RFC 4180, with no leniency: a stray quote is a fault, not a character.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/check.h"
#include "corpus/table_rows.h"

namespace sextant {
namespace {

class CsvRows final : public TableRows {
 public:
  explicit CsvRows(LineSource& lines) : lines_(lines) {}

  bool next(TableRow& row) override {
    while (lines_.next(line_)) {
      row.line = line_.number;
      bad_ = false;
      note_fault();
      if (line_.text.empty()) {
        ++lines_.log().blank;
        continue;
      }
      if (line_.text.find('"') == std::string_view::npos) {
        split_fields(line_.text, ',', lines_, row);
      } else {
        read_quoted(row);
      }
      if (!bad_) return true;
    }
    return false;
  }

 private:
  // A row is left out once, whatever else is wrong with it; it is read on to find its end.
  void leave_out(std::string_view what) {
    if (!bad_) lines_.leave_out(line_.number, what);
    bad_ = true;
  }
  void note_fault() {
    if (!line_.fault.empty()) leave_out(line_.fault);
  }

  // Unescapes the fields into storage_. After a fault the rest of the line is dropped.
  void read_quoted(TableRow& row) {
    storage_.clear();
    ends_.clear();
    for (std::string_view rest = line_.text;; rest.remove_prefix(1)) {
      const bool sound = rest.starts_with('"') ? take_quoted(rest) : take_bare(rest);
      if (!sound) return;
      ends_.push_back(storage_.size());
      if (ends_.size() > kMostTableColumns) refuse_columns(lines_, row.line);
      if (rest.empty()) break;
    }
    row.fields.clear();
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      row.fields.push_back(std::string_view(storage_).substr(begin, end - begin));
      begin = end;
    }
  }

  // Moves one field without quotes from `rest` to storage_.
  bool take_bare(std::string_view& rest) {
    const std::string_view field = rest.substr(0, rest.find(','));
    if (field.find('"') != field.npos) {
      leave_out(
          fmt::format("column {}: quote inside a bare field; expected the whole field in"
                      " quotes and the quote doubled",
                      ends_.size() + 1));
      return false;
    }
    storage_ += field;
    rest.remove_prefix(field.size());
    return true;
  }

  // Moves one quoted field from `rest`, and from as many more lines as it spans, to storage_.
  bool take_quoted(std::string_view& rest) {
    const std::uint64_t opened = line_.number;
    rest.remove_prefix(1);
    for (;;) {
      const std::size_t quote = rest.find('"');
      storage_ += rest.substr(0, quote);
      if (quote == rest.npos) {
        rest = next_line(opened);
        continue;
      }
      rest.remove_prefix(quote + 1);
      if (!rest.starts_with('"')) break;
      storage_ += '"';
      rest.remove_prefix(1);
    }
    if (rest.empty() || rest[0] == ',') return true;
    leave_out(
        fmt::format("column {}: text after the closing quote; expected a comma or the end"
                    " of the row",
                    ends_.size() + 1));
    return false;
  }

  std::string_view next_line(std::uint64_t opened) {
    const std::string where = lines_.where(opened);
    storage_ += line_.end;
    if (storage_.size() > kLongestLine) {
      fail(ErrorCode::kRefused, where, "a row with the quote opened here is above {} bytes",
           kLongestLine);
    }
    if (!lines_.next(line_)) {
      fail(ErrorCode::kMalformed, where,
           "column {}: the quote opened here is never closed; expected a quote before the end of"
           " the file",
           ends_.size() + 1);
    }
    note_fault();
    return line_.text;
  }

  LineSource& lines_;
  Line line_;
  std::string storage_;
  std::vector<std::size_t> ends_;  // of the fields in storage_
  bool bad_ = false;
};

}  // namespace

std::unique_ptr<TableRows> make_csv_rows(LineSource& lines) {
  return std::make_unique<CsvRows>(lines);
}

}  // namespace sextant
