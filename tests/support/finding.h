// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "sextant/theorem.h"

namespace sextant {

inline TheoremCheck check(std::string_view theorem, const TheoremOptions& options = {}) {
  return theorems().find(theorem).check(options);
}

// The first finding whose part and quantity start like this; a failure and an empty one where there
// is none.
inline Finding finding(const TheoremCheck& result, std::string_view part,
                       std::string_view quantity = "") {
  const auto found =
      std::find_if(result.findings.begin(), result.findings.end(), [&](const Finding& one) {
        return one.part.starts_with(part) && one.quantity.starts_with(quantity);
      });
  if (found != result.findings.end()) return *found;
  ADD_FAILURE() << "no finding of " << part << ": " << quantity;
  return {};
}

}  // namespace sextant
