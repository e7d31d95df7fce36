// SPDX-License-Identifier: Apache-2.0
#include "measure/bench_case.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"

namespace sextant {
namespace {

bool begins_with_word(std::string_view name, std::string_view words) {
  return name.starts_with(words) && (name.size() == words.size() || name[words.size()] == '-');
}

}  // namespace

std::vector<std::string> BenchRegistry::names() const {
  std::vector<std::string> result;
  result.reserve(cases_.size());
  for (const BenchCase& each : cases_) result.emplace_back(each.name);
  return result;
}

std::vector<const BenchCase*> BenchRegistry::chosen(std::span<const std::string> names) const {
  const std::vector<std::string> known = this->names();
  for (const std::string& name : names) {
    const bool found = !name.empty() && std::ranges::any_of(known, [&](const std::string& each) {
      return begins_with_word(each, name);
    });
    require(found, "bench", "no case '{}'{}; there are {}", escaped(name), suggestion(name, known),
            fmt::join(known, ", "));
  }
  std::vector<const BenchCase*> result;
  for (const BenchCase& each : cases_) {
    const bool wanted = names.empty() || std::ranges::any_of(names, [&](const std::string& name) {
                          return begins_with_word(each.name, name);
                        });
    if (wanted) result.push_back(&each);
  }
  return result;
}

#define X(name) void register_##name(BenchRegistry&);
#include "catalogue_bench_cases.inc"
#undef X

const BenchRegistry& bench_cases() {
  static const BenchRegistry registry = [] {
    BenchRegistry result;
#define X(name) register_##name(result);
#include "catalogue_bench_cases.inc"
#undef X
    return result;
  }();
  return registry;
}

}  // namespace sextant
