// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sextant/theorem.h"

namespace sextant {

// Of a finding that a number decides.
inline ClaimVerdict holds_if(bool as_claimed) {
  return as_claimed ? ClaimVerdict::kHolds : ClaimVerdict::kViolated;
}

}  // namespace sextant
