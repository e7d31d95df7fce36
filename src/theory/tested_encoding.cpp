// SPDX-License-Identifier: Apache-2.0
#include "theory/tested_encoding.h"

#include <algorithm>

#include "encoding/params.h"

namespace sextant {
namespace {

// A clamped or rescaled position needs a training length; a learned table has as many rows.
void add_training_length(EncodingSpec::Term& term, Index train) {
  const EncodingInfo& info = encodings().info(term.name);
  const ParamInfo* param = find_param(info, "train");
  if (param == nullptr || sets(term, "train") || sets(term, "file")) return;
  if (!param->default_text.empty() || info.needs_values || sets(term, "positions"))
    term.arguments.push_back({"train", std::to_string(train), 0});
}

TestedEncoding subject_of(const std::string& text, Index train) {
  EncodingSpec spec = EncodingSpec::parse(text);
  TestedEncoding result{.spec = text, .encoding = nullptr, .missing = {}};
  for (EncodingSpec::Term& term : spec.terms) {
    const EncodingInfo& info = encodings().info(term.name);
    if (lacks_file(info, term)) {
      result.missing = needed_file(info);
      return result;
    }
    result.initial_draw |= info.needs_values && !sets(term, "file");
    add_training_length(term, train);
  }
  result.encoding = encodings().make(spec.text());
  result.spec = result.encoding->spec();
  return result;
}

}  // namespace

bool TestedEncoding::has_rows() const {
  return std::ranges::any_of(
      EncodingSpec::parse(encoding->spec()).terms,
      [](const EncodingSpec::Term& term) { return encodings().info(term.name).sites.input; });
}

Extent TestedEncoding::extent(Extent size) const {
  if (encoding->heads() > 0) size.heads = encoding->heads();
  if (encoding->dim() > 0) size.dim = encoding->dim();
  return size;
}

std::vector<TestedEncoding> tested_encodings(const TheoremOptions& options) {
  const std::vector<std::string> specs =
      options.encodings.empty() ? encodings().names() : options.encodings;
  std::vector<TestedEncoding> result;
  result.reserve(specs.size());
  for (const std::string& spec : specs) result.push_back(subject_of(spec, options.train));
  return result;
}

std::string draw_remark(const TestedEncoding& subject) {
  return subject.initial_draw ? "; its values are an initial draw" : "";
}

}  // namespace sextant
