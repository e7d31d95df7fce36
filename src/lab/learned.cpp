// SPDX-License-Identifier: Apache-2.0
#include "lab/learned.h"

#include <algorithm>

#include "base/text.h"

namespace sextant {

const LearnedRegistry::Entry* LearnedRegistry::find(std::string_view encoding) const {
  const auto found = entries_.find(encoding);
  return found == entries_.end() ? nullptr : &found->second;
}

std::vector<std::string> LearnedRegistry::names() const {
  std::vector<std::string> result;
  result.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) result.push_back(name);
  return result;
}

#define X(name) void register_##name(LearnedRegistry&);
#include "catalogue_learned.inc"
#undef X

const LearnedRegistry& learned_encodings() {
  static const LearnedRegistry registry = [] {
    LearnedRegistry r;
#define X(name) register_##name(r);
#include "catalogue_learned.inc"
#undef X
    return r;
  }();
  return registry;
}

EncodingSpec::Term for_values(EncodingSpec::Term term) {
  const LearnedRegistry::Entry* entry = learned_encodings().find(term.name);
  if (entry == nullptr) return term;
  const std::vector<std::string_view> replaced = split(entry->replaced, '|');
  std::erase_if(term.arguments, [&](const EncodingSpec::Argument& argument) {
    return std::ranges::find(replaced, argument.key) != replaced.end();
  });
  return term;
}

}  // namespace sextant
