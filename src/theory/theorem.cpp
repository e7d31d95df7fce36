// SPDX-License-Identifier: Apache-2.0
#include "sextant/theorem.h"

#include <cmath>

#include "base/check.h"
#include "base/text.h"

namespace sextant {

std::string_view name(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::kHolds:
      return "holds";
    case ClaimVerdict::kHoldsUnderConditions:
      return "holds under listed conditions";
    case ClaimVerdict::kViolated:
      return "violated: counterexample";
    case ClaimVerdict::kVacuous:
      return "vacuous here";
    case ClaimVerdict::kNotTestable:
      return "not testable";
  }
  return "";
}

void validate(const TheoremOptions& options) {
  require(options.train >= 2, "--train", "must be at least 2 but got {}", options.train);
  require(options.to > options.train, "--to", "must be beyond --train {} but got {}", options.train,
          options.to);
  require(options.dim >= 1, "--dim", "must be positive but got {}", options.dim);
  require(options.heads >= 1, "--heads", "must be positive but got {}", options.heads);
  require(options.alpha > 0.0 && std::isfinite(options.alpha), "--alpha",
          "must be a positive number but got {}", options.alpha);
  require(options.alpha <= kMostTheoremAlpha, "--alpha", "must be at most {:.0f}",
          kMostTheoremAlpha);
  if (options.to > kMostTheoremPositions)
    fail(ErrorCode::kRefused, "--to", "at most {} positions are looked at but got {}",
         kMostTheoremPositions, options.to);
  if (options.dim > kMostTheoremDim)
    fail(ErrorCode::kRefused, "--dim", "at most {} but got {}", kMostTheoremDim, options.dim);
}

const TheoremRegistry::Entry& TheoremRegistry::find(std::string_view id) const {
  const std::string asked = lower_ascii(id);
  std::vector<std::string> known;
  for (const Entry& entry : entries_) {
    if (lower_ascii(entry.info->id) == asked || entry.info->name == asked) return entry;
    known.insert(known.end(), {std::string(entry.info->id), std::string(entry.info->name)});
  }
  fail(ErrorCode::kUsage, "check", "no theorem '{}'{}", escaped(id), suggestion(id, known));
}

#define X(name) void register_##name(TheoremRegistry&);
#include "catalogue_theorems.inc"
#undef X

const TheoremRegistry& theorems() {
  static const TheoremRegistry registry = [] {
    TheoremRegistry result;
#define X(name) register_##name(result);
#include "catalogue_theorems.inc"
#undef X
    return result;
  }();
  return registry;
}

}  // namespace sextant
