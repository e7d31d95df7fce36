// SPDX-License-Identifier: Apache-2.0
#include "math/commutator.h"

#include <algorithm>

#include "math/eigen_map.h"

namespace sextant {

double commutator_norm(std::span<const Matrix> matrices) {
  double largest = 0.0;
  for (std::size_t a = 0; a < matrices.size(); ++a) {
    for (std::size_t b = a + 1; b < matrices.size(); ++b) {
      const auto x = as_eigen(matrices[a]), y = as_eigen(matrices[b]);
      const double scale = x.norm() * y.norm();
      if (scale > 0.0) largest = std::max(largest, (x * y - y * x).norm() / scale);
    }
  }
  return largest;
}

}  // namespace sextant
