// SPDX-License-Identifier: Apache-2.0
#include "theory/tested_encoding.h"

#include "encoding/params.h"

namespace sextant {

TestedEncoding tested_encoding(const std::string& text, Index train) {
  EncodingSpec spec = EncodingSpec::parse(text);
  TestedEncoding result{.spec = text, .encoding = nullptr, .missing = {}};
  for (EncodingSpec::Term& term : spec.terms) {
    const EncodingInfo& info = encodings().info(term.name);
    if (lacks_file(info, term)) {
      result.missing = needed_file(info);
      return result;
    }
    add_training_length(term, train);
  }
  result.encoding = encodings().make(spec.text());
  result.spec = result.encoding->spec();
  result.initial_draw = is_initial_draw(*result.encoding);
  return result;
}

std::vector<std::string> tested_specs(const TheoremOptions& options) {
  return options.encodings.empty() ? encodings().names() : options.encodings;
}

std::vector<TestedEncoding> tested_encodings(const TheoremOptions& options) {
  const std::vector<std::string> specs = tested_specs(options);
  std::vector<TestedEncoding> result;
  result.reserve(specs.size());
  for (const std::string& spec : specs) result.push_back(tested_encoding(spec, options.train));
  return result;
}

std::string draw_remark(const TestedEncoding& subject) {
  return subject.initial_draw ? "; its values are an initial draw" : "";
}

}  // namespace sextant
