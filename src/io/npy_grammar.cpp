// SPDX-License-Identifier: Apache-2.0
// Recursive descent over one dict, two kinds of string, two words and one tuple of integers.
#include "io/npy_grammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace sextant {
namespace {

class HeaderParser {
 public:
  HeaderParser(std::string_view file, std::string_view text) : file_(file), text_(text) {}

  NpyHeader parse() {
    expect('{');
    while (!take('}')) {
      parse_pair();
      if (take(',')) continue;
      expect('}');
      break;
    }
    skip_blanks();
    if (at_ != text_.size()) fail_here("dict must end the header but got {}", next_text());
    for (std::size_t i = 0; i < kKeys.size(); ++i)
      if (!seen_[i]) fail_here("key '{}' must be present", kKeys[i]);
    return header_;
  }

 private:
  static constexpr std::array<std::string_view, 3> kKeys = {"descr", "fortran_order", "shape"};

  void parse_pair() {
    skip_blanks();
    const std::size_t start = at_;
    const std::string_view key = quoted();
    const auto found = std::find(kKeys.begin(), kKeys.end(), key);
    const auto which = static_cast<std::size_t>(found - kKeys.begin());
    if (found == kKeys.end())
      fail_at(start, "key must be descr, fortran_order or shape but got '{}'", escaped(key));
    if (seen_[which]) fail_at(start, "key '{}' must appear once", key);
    seen_[which] = true;
    expect(':');
    skip_blanks();
    if (which == 0)
      parse_descr();
    else if (which == 1)
      parse_order();
    else
      parse_shape();
  }

  void parse_descr() {
    const std::size_t start = at_;
    if (next() == '[') fail_here("dtype must be a plain number but is structured");
    const std::string_view descr = quoted();
    const std::optional<StoredType> storage = storage_of(descr);
    if (!storage)
      fail_at(start, "dtype must be one of f2 f4 f8 i1..i8 u1..u8 b1 but got '{}'", escaped(descr));
    header_.storage = *storage;
    header_.descr = descr;
  }

  void parse_order() {
    for (const bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      header_.fortran_order = value;
      return;
    }
    fail_here("fortran_order must be True or False but got {}", next_text());
  }

  void parse_shape() {
    expect('(');
    while (!take(')')) {
      if (header_.shape.size() == kMaxNpyDims)
        fail_here("shape must have at most {} dimensions", kMaxNpyDims);
      header_.shape.push_back(dimension());
      if (take(',')) continue;
      if (header_.shape.size() == 1) fail_here("shape of one dimension must be written (n,)");
      expect(')');
      break;
    }
  }

  Index dimension() {
    skip_blanks();
    Index value = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, value);
    if (error == std::errc::result_out_of_range) fail_here("dimension must fit 63 bits");
    if (error != std::errc{}) fail_here("dimension must be an integer but got {}", next_text());
    if (value < 0) fail_here("dimension must not be negative but got {}", value);
    at_ = static_cast<std::size_t>(stop - text_.data());
    return value;
  }

  std::string_view quoted() {
    const char quote = next();
    if (quote != '\'' && quote != '"') fail_here("string must follow but got {}", next_text());
    const std::size_t stop = text_.find(quote, at_ + 1);
    if (stop == text_.npos) fail_here("string must end before the header does");
    const std::string_view content = text_.substr(at_ + 1, stop - at_ - 1);
    at_ = stop + 1;
    return content;
  }

  static std::optional<StoredType> storage_of(std::string_view descr) {
    constexpr std::array<std::string_view, 12> kAccepted = {"f2", "f4", "f8", "i1", "i2", "i4",
                                                            "i8", "u1", "u2", "u4", "u8", "b1"};
    if (descr.size() != 3) return std::nullopt;
    const char order = descr[0];
    const auto bytes = static_cast<std::size_t>(descr[2] - '0');
    if (std::find(kAccepted.begin(), kAccepted.end(), descr.substr(1)) == kAccepted.end() ||
        !(order == '<' || order == '>' || (order == '|' && bytes == 1)))
      return std::nullopt;
    return StoredType{descr[1], bytes, order == '>'};
  }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  bool take(char c) {
    skip_blanks();
    if (next() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail_here("'{}' must follow but got {}", c, next_text());
  }

  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  std::string next_text() const {
    if (at_ == text_.size()) return "the end";
    return fmt::format("'{}'", escaped(text_.substr(at_, 1)));
  }

  template <typename... Args>
  [[noreturn]] void fail_at(std::size_t place, fmt::format_string<Args...> text, Args&&... args) {
    fail(ErrorCode::kMalformed, fmt::format("{}: header column {}", file_, place + 1), text,
         std::forward<Args>(args)...);
  }
  template <typename... Args>
  [[noreturn]] void fail_here(fmt::format_string<Args...> text, Args&&... args) {
    fail_at(at_, text, std::forward<Args>(args)...);
  }

  std::string_view file_, text_;
  std::size_t at_ = 0;
  std::array<bool, 3> seen_ = {};
  NpyHeader header_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view file, std::string_view text) {
  return HeaderParser(file, text).parse();
}

std::string npy_shape_text(std::span<const Index> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace sextant
