// SPDX-License-Identifier: Apache-2.0
// Which format gets which parser, and the simplest of them: a line is a record.
#include "corpus/record_parser.h"

#include "corpus/utf8.h"

namespace sextant {
namespace {

class TextParser final : public RecordParser {
 public:
  explicit TextParser(LineSource& lines) : lines_(lines) {}

  bool next(RecordBatch& batch) override {
    while (lines_.next(line_)) {
      if (!line_.fault.empty()) {
        lines_.leave_out(line_.number, line_.fault);
      } else if (is_blank(line_.text)) {
        ++lines_.log().blank;
      } else {
        append_record(batch, line_.text, {}, lines_, line_.number);
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

std::unique_ptr<RecordParser> make_record_parser(RecordFormat format, LineSource& lines,
                                                 const RecordOptions& options) {
  switch (format) {
    case RecordFormat::kTsv:
    case RecordFormat::kCsv:
      return make_table_parser(format, lines, options);
    case RecordFormat::kJsonl:
      return make_jsonl_parser(lines, options);
    case RecordFormat::kAuto:
    case RecordFormat::kText:
      break;
  }
  return std::make_unique<TextParser>(lines);
}

void append_record(RecordBatch& batch, std::string_view text, std::string_view group,
                   const LineSource& lines, std::uint64_t line) {
  batch.records.push_back({.text = batch.bytes.size(),
                           .text_size = text.size(),
                           .group = batch.bytes.size() + text.size(),
                           .group_size = group.size(),
                           .file = lines.name().number,
                           .place = line});
  batch.bytes += text;
  batch.bytes += group;
}

}  // namespace sextant
