// SPDX-License-Identifier: Apache-2.0
// The parser's callback sees every key and every opening bracket before anything is built on them.
#include "io/json_input.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "io/input_file.h"
#include "io/json_fault.h"

namespace sextant {
namespace {

std::string pointer_step(std::string_view key) {
  std::string step = "/";
  for (const char c : escaped(key)) {
    if (c == '~')
      step += "~0";
    else if (c == '/')
      step += "~1";
    else
      step += c;
  }
  return step;
}

// Checks while the document is parsed what the parser itself does not.
class Watch {
 public:
  explicit Watch(std::string_view where) : where_(where) {}

  bool operator()(int /*depth*/, JsonInput::parse_event_t event, const JsonInput& parsed) {
    using Event = JsonInput::parse_event_t;
    if (event == Event::key) {
      Level& level = levels_.back();
      level.key = parsed.get_ref<const std::string&>();
      if (!level.keys.insert(level.key).second)
        fail(ErrorCode::kMalformed, place(), "the key is repeated");
      return true;
    }
    if (event == Event::object_end || event == Event::array_end) {
      levels_.pop_back();
      if (!levels_.empty()) ++levels_.back().index;
      return true;
    }
    if (++values_ > kMostJsonValues)
      fail(ErrorCode::kRefused, where_, "holds more than {} values", kMostJsonValues);
    if (event == Event::value) {
      if (!levels_.empty()) ++levels_.back().index;
      return true;
    }
    if (levels_.size() == kMostJsonDepth)
      fail(ErrorCode::kMalformed, place(), "nested deeper than {}", kMostJsonDepth);
    levels_.push_back({.is_object = event == Event::object_start});
    return true;
  }

 private:
  struct Level {
    bool is_object = false;
    std::size_t index = 0;
    std::string key = {};
    std::set<std::string> keys = {};
  };

  std::string place() const {
    std::string text(where_);
    text += ": ";
    for (const Level& level : levels_)
      text += level.is_object ? pointer_step(level.key) : "/" + std::to_string(level.index);
    return text;
  }

  std::string_view where_;
  std::vector<Level> levels_;
  std::size_t values_ = 0;
};

[[noreturn]] void fail_syntax(std::string_view where, std::string_view text) {
  const JsonFault fault = first_json_fault(text).value_or(JsonFault{.column = 1, .what = "broken"});
  const std::string_view before = text.substr(0, fault.column - 1);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
  fail(ErrorCode::kMalformed, fmt::format("{}:{}:{}", where, line, column), "bad JSON: {}",
       fault.what);
}

}  // namespace

JsonInput parse_json(std::string_view text, std::string_view where) {
  if (text.find('\0') != text.npos) fail_syntax(where, text);  // the parser would stop there
  Watch watch(where);
  try {
    return JsonInput::parse(text.begin(), text.end(), std::ref(watch));
  } catch (const JsonInput::exception&) {
    fail_syntax(where, text);
  }
}

JsonInput read_json(const std::filesystem::path& path, std::uint64_t most_bytes) {
  return parse_json(read_whole(path, most_bytes), path_text(path));
}

std::string JsonNode::place() const {
  return fmt::format("{}: {}", file_, pointer_.empty() ? "document" : pointer_);
}

void JsonNode::expect(bool holds, std::string_view kind) const {
  if (!holds) fail_here("must be {} but is {}", kind, value_->type_name());
}

std::optional<JsonNode> JsonNode::find(const std::string& key) const {
  expect(value_->is_object(), "an object");
  const auto found = value_->find(key);
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return JsonNode(*found, file_, pointer_ + pointer_step(key));
}

JsonNode JsonNode::at(const std::string& key) const {
  std::optional<JsonNode> found = find(key);
  if (!found) fail_here("'{}' is missing", escaped(key));
  return *found;
}

JsonNode JsonNode::at(std::size_t index) const {
  return {value_->at(index), file_, fmt::format("{}/{}", pointer_, index)};
}

std::size_t JsonNode::size() const {
  expect(value_->is_array(), "an array");
  return value_->size();
}

std::vector<std::pair<std::string, JsonNode>> JsonNode::members() const {
  expect(value_->is_object(), "an object");
  std::vector<std::pair<std::string, JsonNode>> all;
  all.reserve(value_->size());
  for (const auto& [key, value] : value_->items())
    all.emplace_back(key, JsonNode(value, file_, pointer_ + pointer_step(key)));
  return all;
}

const std::string& JsonNode::text() const {
  expect(value_->is_string(), "a string");
  return value_->get_ref<const std::string&>();
}

bool JsonNode::flag() const {
  expect(value_->is_boolean(), "true or false");
  return value_->get<bool>();
}

Index JsonNode::integer() const {
  expect(value_->is_number_integer(), "an integer");
  if (value_->is_number_unsigned() &&
      value_->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<Index>::max()))
    fail_here("must fit 63 bits but is {}", value_->get<std::uint64_t>());
  return value_->get<Index>();
}

std::uint64_t JsonNode::count() const {
  expect(value_->is_number_integer(), "an integer");
  if (!value_->is_number_unsigned() && value_->get<std::int64_t>() < 0)
    fail_here("must not be negative but is {}", value_->get<std::int64_t>());
  return value_->get<std::uint64_t>();
}

double JsonNode::number() const {
  expect(value_->is_number(), "a number");
  return value_->get<double>();
}

bool JsonNode::flag_or(const std::string& key, bool otherwise) const {
  const std::optional<JsonNode> found = find(key);
  return found ? found->flag() : otherwise;
}

std::string JsonNode::text_or(const std::string& key, const std::string& otherwise) const {
  const std::optional<JsonNode> found = find(key);
  return found ? found->text() : otherwise;
}

}  // namespace sextant
