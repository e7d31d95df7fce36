// SPDX-License-Identifier: Apache-2.0
// JSON Lines: one object a line. simdjson parses; what it lets pass (equal keys, halves of
// surrogate pairs) is checked here.
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "corpus/record_parser.h"
#include "corpus/utf8.h"
#include "io/json_fault.h"

namespace sextant {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;

constexpr std::size_t kMostDepth = 64;
static_assert(LineSource::kPadding >= simdjson::SIMDJSON_PADDING);

std::string too_deep() { return fmt::format("nested deeper than {} levels", kMostDepth); }

std::string_view type_name(const element& value) {
  switch (value.type()) {
    case element_type::ARRAY:
      return "an array";
    case element_type::OBJECT:
      return "an object";
    case element_type::STRING:
      return "a string";
    case element_type::BOOL:
      return "a boolean";
    case element_type::NULL_VALUE:
      return "null";
    default:
      return "a number";
  }
}

// The value where the type is right; an empty one otherwise.
template <typename T>
T as(const element& value) {
  T result = {};
  return value.get(result) == simdjson::SUCCESS ? result : T{};
}

std::string hidden_fault(const element& value, bool escapes, std::size_t depth);

std::string hidden_fault(const object& value, bool escapes, std::size_t depth) {
  std::string fault;
  std::vector<std::string_view> keys;
  for (const auto& [key, item] : value) {
    if (escapes && !is_utf8(key)) return "lone surrogate escape in a key";
    keys.push_back(key);
    if (fault.empty()) fault = hidden_fault(item, escapes, depth + 1);
  }
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice != keys.end()) return fmt::format("key '{}' twice in one object", escaped(*twice));
  return fault;
}

// What simdjson accepts and we do not, anywhere in `value`, which lies `depth` levels deep; empty:
// nothing. `escapes`: strings may come from \u escapes. simdjson bounds the depth of all but empty
// arrays and objects.
std::string hidden_fault(const element& value, bool escapes, std::size_t depth) {
  if (depth == kMostDepth && (value.is_object() || value.is_array())) return too_deep();
  if (value.is_object()) return hidden_fault(as<object>(value), escapes, depth);
  std::string fault;
  if (value.is_string() && escapes && !is_utf8(as<std::string_view>(value)))
    fault = "lone surrogate escape";
  if (!value.is_array()) return fault;
  const array items = as<array>(value);
  for (const element item : items)
    if (fault.empty()) fault = hidden_fault(item, escapes, depth + 1);
  return fault;
}

class JsonlParser final : public RecordParser {
 public:
  JsonlParser(LineSource& lines, const RecordOptions& options) : lines_(lines), options_(options) {}

  bool next(RecordBatch& batch) override {
    while (lines_.next(line_)) {
      if (!line_.fault.empty()) {
        leave_out(line_.fault);
      } else if (is_blank(line_.text)) {
        ++lines_.log().blank;
      } else if (parse(batch)) {
        return true;
      }
    }
    return false;
  }

 private:
  void leave_out(std::string_view what, std::size_t column = 0) {
    lines_.leave_out(line_.number, what, column);
  }

  bool parse(RecordBatch& batch) {
    reserve(line_.text.size());
    element document;
    const simdjson::error_code error =
        parser_.parse(line_.text.data(), line_.text.size(), false).get(document);
    if (error != simdjson::SUCCESS) {
      leave_out_syntax(error);
      return false;
    }
    const bool escapes = line_.text.find("\\u") != line_.text.npos;
    const std::string fault = hidden_fault(document, escapes, 0);
    if (!fault.empty()) {
      leave_out(fault);
      return false;
    }
    object record;
    if (document.get(record) != simdjson::SUCCESS) {
      leave_out(fmt::format("the record is {}; expected an object", type_name(document)));
      return false;
    }
    return append(record, escapes, batch);
  }

  bool append(const object& record, bool escapes, RecordBatch& batch) {
    const std::optional<std::string_view> text = text_of(record);
    if (!text) return false;
    if (escapes && options_.invalid != InvalidBytes::kBytes && text->find('\0') != text->npos) {
      leave_out(fmt::format("field '{}' has a NUL character; expected text, or --invalid bytes",
                            escaped(options_.text_field)));
      return false;
    }
    if (!options_.group_column.empty() && !read_group(record)) return false;
    append_record(batch, *text, group_, lines_, line_.number);
    return true;
  }

  std::optional<element> field(const object& record, const std::string& name) {
    element value;
    if (record.at_key(name).get(value) == simdjson::SUCCESS) return value;
    leave_out(fmt::format("no field '{}'", escaped(name)));
    return std::nullopt;
  }

  std::optional<std::string_view> text_of(const object& record) {
    const std::optional<element> value = field(record, options_.text_field);
    if (!value) return std::nullopt;
    std::string_view text;
    if (value->get(text) == simdjson::SUCCESS) return text;
    leave_out(fmt::format("field '{}' is {}; expected a string", escaped(options_.text_field),
                          type_name(*value)));
    return std::nullopt;
  }

  // A group is a string or an integer of 64 bits, taken as its decimal digits.
  bool read_group(const object& record) {
    const std::optional<element> value = field(record, options_.group_column);
    if (!value) return false;
    if (value->is_string()) {
      group_ = as<std::string_view>(*value);
    } else if (value->is_int64()) {
      group_ = std::to_string(as<std::int64_t>(*value));
    } else if (value->is_uint64()) {
      group_ = std::to_string(as<std::uint64_t>(*value));
    } else {
      leave_out(fmt::format("field '{}' is {}; expected a string or an integer of 64 bits",
                            escaped(options_.group_column), type_name(*value)));
      return false;
    }
    return true;
  }

  void leave_out_syntax(simdjson::error_code error) {
    if (error == simdjson::DEPTH_ERROR) {
      leave_out(too_deep());
      return;
    }
    const std::optional<JsonFault> fault = first_json_fault(line_.text);
    if (!fault) {
      leave_out(simdjson::error_message(error), 1);
    } else if (fault->column > line_.text.size()) {
      leave_out("truncated record: the line ends inside of a JSON value", fault->column);
    } else {
      leave_out(fault->what, fault->column);
    }
  }

  // Room for a document of `size` bytes; simdjson counts the document itself as a level.
  void reserve(std::size_t size) {
    if (size <= parser_.capacity()) return;
    const std::size_t capacity = std::max({size, 2 * parser_.capacity(), std::size_t{4096}});
    if (parser_.allocate(capacity, kMostDepth + 1) != simdjson::SUCCESS) {
      fail(ErrorCode::kRefused, lines_.where(line_.number), "no memory for a record of {} bytes",
           size);
    }
  }

  LineSource& lines_;
  const RecordOptions& options_;
  Line line_;
  simdjson::dom::parser parser_;
  std::string group_;
};

}  // namespace

std::unique_ptr<RecordParser> make_jsonl_parser(LineSource& lines, const RecordOptions& options) {
  return std::make_unique<JsonlParser>(lines, options);
}

}  // namespace sextant
