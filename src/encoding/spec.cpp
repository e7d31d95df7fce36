// SPDX-License-Identifier: Apache-2.0
// The grammar of specs:
//
//   spec     = term { "+" term }
//   term     = name [ "(" [ argument { "," argument } ] ")" ]  |  name ":" file
//   argument = key "=" value
//
// name:file is short for name(file=...). Blanks around tokens are ignored.
#include <cctype>

#include "base/check.h"
#include "base/text.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

class SpecParser {
 public:
  explicit SpecParser(std::string_view text) : text_(text) {}

  EncodingSpec parse() {
    EncodingSpec spec;
    do {
      spec.terms.push_back(term());
    } while (accept('+'));
    skip_blanks();
    if (at_ < text_.size()) reject("expected '+', '(' or the end");
    return spec;
  }

 private:
  EncodingSpec::Term term() {
    skip_blanks();
    EncodingSpec::Term result{.name = {}, .arguments = {}, .at = place()};
    result.name = identifier("the name of an encoding");
    if (accept(':')) {
      skip_blanks();
      const Index at = place();
      result.arguments.push_back({"file", value("+"), at});
      return result;
    }
    if (!accept('(') || accept(')')) return result;
    do {
      result.arguments.push_back(argument());
    } while (accept(','));
    if (!accept(')')) reject("expected ',' or ')'");
    return result;
  }

  EncodingSpec::Argument argument() {
    skip_blanks();
    const Index start = place();
    EncodingSpec::Argument result{
        .key = identifier("a parameter's name"), .value = {}, .at = start};
    if (!accept('=')) reject("expected '='");
    skip_blanks();
    result.at = place();
    result.value = value(",()");
    return result;
  }

  std::string identifier(std::string_view what) {
    skip_blanks();
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::islower(byte()) || std::isdigit(byte()) || byte() == '_'))
      ++at_;
    if (at_ == start) reject(fmt::format("expected {}", what));
    return std::string(text_.substr(start, at_ - start));
  }

  std::string value(std::string_view stops) {
    if (accept('"')) {
      const std::size_t start = at_;
      while (at_ < text_.size() && text_[at_] != '"') ++at_;
      std::string result(text_.substr(start, at_ - start));
      if (!accept('"')) reject("expected a closing '\"'");
      return result;
    }
    const std::size_t start = at_;
    while (at_ < text_.size() && text_[at_] != '"' &&
           stops.find(text_[at_]) == std::string_view::npos)
      ++at_;
    std::size_t end = at_;
    while (end > start && text_[end - 1] == ' ') --end;
    if (end == start) reject("expected a value");
    return std::string(text_.substr(start, end - start));
  }

  bool accept(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  unsigned char byte() const { return static_cast<unsigned char>(text_[at_]); }
  Index place() const { return static_cast<Index>(at_) + 1; }

  [[noreturn]] void reject(std::string_view expected) const {
    const std::string found =
        at_ < text_.size() ? "found '" + escaped(text_.substr(at_, 1)) + "'" : "the text ends";
    fail(ErrorCode::kUsage, fmt::format("spec '{}'", escaped(text_)), "character {}: {} but {}",
         place(), expected, found);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::string quoted(const std::string& value, std::string_view special) {
  const bool plain = value.find_first_of(special) == std::string::npos && !value.starts_with(' ') &&
                     !value.ends_with(' ');
  return plain ? value : '"' + value + '"';
}

}  // namespace

EncodingSpec EncodingSpec::parse(std::string_view text) { return SpecParser(text).parse(); }

std::string EncodingSpec::text() const {
  std::string result;
  for (const Term& term : terms) {
    if (!result.empty()) result += '+';
    result += term.name;
    if (term.arguments.empty()) continue;
    if (term.arguments.size() == 1 && term.arguments[0].key == "file") {
      result += ':' + quoted(term.arguments[0].value, "+");
      continue;
    }
    char before = '(';
    for (const Argument& argument : term.arguments) {
      result += before + argument.key + '=' + quoted(argument.value, ",()");
      before = ',';
    }
    result += ')';
  }
  return result;
}

}  // namespace sextant
