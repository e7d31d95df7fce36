// SPDX-License-Identifier: Apache-2.0
#include "lab/learned.h"

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

}  // namespace sextant
