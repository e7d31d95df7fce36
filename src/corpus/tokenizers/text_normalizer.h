// SPDX-License-Identifier: Apache-2.0
// The normalizers of a tokenizer.json that act on whole pieces of text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/json_input.h"

namespace sextant {

class TextNormalizer {
 public:
  TextNormalizer() = default;  // changes nothing
  // NFC, NFD, NFKC, NFKD, Lowercase and Sequences of them; refuses others by name.
  explicit TextNormalizer(const JsonNode& node);

  // `text` itself where nothing is to be done, else in `buffer`.
  std::string_view apply(std::string_view text, std::string& buffer) const;

 private:
  enum class Step { kNfc, kNfd, kNfkc, kNfkd, kLower };
  void add(const JsonNode& node);
  std::vector<Step> steps_;
};

}  // namespace sextant
