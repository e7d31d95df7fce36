// SPDX-License-Identifier: Apache-2.0
// Pre-tokenizers that are given as a regular expression.
//
// The files are written for Oniguruma and matched here by PCRE2. What the two read differently (\w,
// \h, ^, a possessive {n,m}+ ...) is refused by name; \s is spelt out as White_Space, since PCRE2
// counts U+180E to it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/json_input.h"

namespace sextant {

class RegexPattern {
 public:
  // `regex` holds the pattern. kMalformed when it is not supported, broken, or matches nothing at
  // all (the empty text).
  explicit RegexPattern(const JsonNode& regex);

  struct Code;
  const Code& code() const { return *code_; }

 private:
  std::shared_ptr<const Code> code_;
};

// One thread's use of a pattern.
class RegexMatcher {
 public:
  explicit RegexMatcher(const RegexPattern& pattern);
  ~RegexMatcher();
  RegexMatcher(RegexMatcher&&) noexcept;

  struct Match {
    std::size_t begin, end;
  };
  // The first match at `from` or later. kRefused when it takes too many steps. The text is checked
  // to be UTF-8 when from is 0.
  std::optional<Match> next(std::string_view text, std::size_t from);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sextant
