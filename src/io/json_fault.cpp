// SPDX-License-Identifier: Apache-2.0
// A parse that keeps nothing but its first complaint.
#include "io/json_fault.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "io/json.h"

namespace sextant {
namespace {

// "[json.exception.parse_error.101] parse error at line 1, column 5: WHAT; last read: 'x'".
std::string_view essence(std::string_view message) {
  for (const std::string_view mark : {"] ", "parse error at ", ": "}) {
    const std::size_t at = message.find(mark);
    if (at == message.npos) break;
    message.remove_prefix(at + mark.size());
  }
  return message.substr(0, message.find("; last read"));
}

class FaultFinder final : public Json::json_sax_t {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t position, const std::string&,
                   const Json::exception& error) override {
    fault_ = {.column = position, .what = escaped(essence(error.what()))};
    return false;
  }

  std::optional<JsonFault> fault() && { return std::move(fault_); }

 private:
  std::optional<JsonFault> fault_;
};

}  // namespace

std::optional<JsonFault> first_json_fault(std::string_view text) {
  // The parser takes a NUL for the end of its input.
  const std::size_t end = std::min(text.find('\0'), text.size());
  FaultFinder finder;
  Json::sax_parse(text.substr(0, end), &finder);
  std::optional<JsonFault> fault = std::move(finder).fault();
  if (end < text.size() && (!fault || fault->column > end))
    fault = {.column = end + 1, .what = "a NUL byte"};
  return fault;
}

}  // namespace sextant
