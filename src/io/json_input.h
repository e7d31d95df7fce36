// SPDX-License-Identifier: Apache-2.0
// JSON that others wrote: strict, bounded, and every complaint names its place.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "io/json.h"
#include "sextant/matrix.h"

namespace sextant {

using JsonInput = nlohmann::json;

inline constexpr std::size_t kMostJsonDepth = 64;
inline constexpr std::size_t kMostJsonValues = std::size_t{1} << 22;

// A whole document. kMalformed with line:column for bad syntax, bad UTF-8 and numbers out of range,
// with a JSON pointer for a repeated key and for nesting deeper than kMostJsonDepth; kRefused for
// more than kMostJsonValues values. `where` names the document in messages.
JsonInput parse_json(std::string_view text, std::string_view where);

// parse_json of a file of at most `most_bytes`.
JsonInput read_json(const std::filesystem::path& path, std::uint64_t most_bytes);

// A value and its place in a document. Refers to the document and to its name; throws kMalformed
// "FILE: /pointer: ...".
class JsonNode {
 public:
  JsonNode(const JsonInput& value, const std::string& file) : JsonNode(value, file, "") {}

  JsonNode at(const std::string& key) const;                   // must be there
  std::optional<JsonNode> find(const std::string& key) const;  // nothing when absent or null
  JsonNode at(std::size_t index) const;
  std::size_t size() const;                                       // of an array
  std::vector<std::pair<std::string, JsonNode>> members() const;  // of an object, sorted by key

  const std::string& text() const;
  bool flag() const;
  Index integer() const;
  std::uint64_t count() const;
  double number() const;
  bool is_text() const { return value_->is_string(); }
  bool is_object() const { return value_->is_object(); }
  bool is_array() const { return value_->is_array(); }
  bool is_null() const { return value_->is_null(); }  // of members() and elements

  bool flag_or(const std::string& key, bool otherwise) const;
  std::string text_or(const std::string& key, const std::string& otherwise) const;

  const std::string& pointer() const { return pointer_; }  // "" of the document
  // "FILE: /pointer", for messages.
  std::string place() const;
  template <typename... Args>
  [[noreturn]] void fail_here(fmt::format_string<Args...> message, Args&&... args) const {
    fail(ErrorCode::kMalformed, place(), message, std::forward<Args>(args)...);
  }

 private:
  JsonNode(const JsonInput& value, std::string_view file, std::string pointer)
      : value_(&value), file_(file), pointer_(std::move(pointer)) {}
  void expect(bool holds, std::string_view kind) const;

  const JsonInput* value_;
  std::string_view file_;
  std::string pointer_;
};

}  // namespace sextant
