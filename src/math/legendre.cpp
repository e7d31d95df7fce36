// SPDX-License-Identifier: Apache-2.0
#include "math/legendre.h"

namespace sextant {

void legendre(double x, std::span<double> values) {
  double before = 0.0;
  double current = 1.0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = current;
    const auto degree = static_cast<double>(k);
    const double next = ((2.0 * degree + 1.0) * x * current - degree * before) / (degree + 1.0);
    before = current;
    current = next;
  }
}

}  // namespace sextant
