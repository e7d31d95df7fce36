// SPDX-License-Identifier: Apache-2.0
// Only what can be done exactly.
#include "corpus/tokenizers/text_normalizer.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "corpus/tokenizers/unicode.h"

namespace sextant {

TextNormalizer::TextNormalizer(const JsonNode& node) { add(node); }

void TextNormalizer::add(const JsonNode& node) {
  const std::string& type = node.at("type").text();
  if (type == "Sequence") {
    const JsonNode list = node.at("normalizers");
    for (std::size_t i = 0; i < list.size(); ++i) add(list.at(i));
    return;
  }
  constexpr std::array<std::string_view, 5> kNames = {"NFC", "NFD", "NFKC", "NFKD", "Lowercase"};
  const auto found = std::ranges::find(kNames, type);
  if (found == kNames.end())
    node.fail_here("the normalizer '{}' is not supported with this model", escaped(type));
  steps_.push_back(static_cast<Step>(found - kNames.begin()));
}

std::string_view TextNormalizer::apply(std::string_view text, std::string& buffer) const {
  constexpr std::array<NormalForm, 4> kForms = {NormalForm::kC, NormalForm::kD, NormalForm::kKC,
                                                NormalForm::kKD};
  for (const Step step : steps_) {
    const bool ascii =
        std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (step != Step::kLower && ascii) continue;
    std::string changed;
    if (step != Step::kLower) {
      changed = normal_form(text, kForms[static_cast<std::size_t>(step)]);
    } else {
      while (!text.empty()) {
        const CodePoint c = first_code_point(text);
        text.remove_prefix(c.size);
        append_lower(c.value, changed);
      }
    }
    buffer = std::move(changed);
    text = buffer;
  }
  return text;
}

}  // namespace sextant
