// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace sextant {

// P_0(x), P_1(x), ... into `values`, by the three-term recurrence. Accurate for |x| <= 1; beyond,
// values grow like (x + sqrt(x^2-1))^k and may overflow to infinity.
void legendre(double x, std::span<double> values);

}  // namespace sextant
