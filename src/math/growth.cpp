// SPDX-License-Identifier: Apache-2.0
#include "math/growth.h"

#include <unsupported/Eigen/MatrixFunctions>

#include "math/eigen_map.h"

namespace sextant {
namespace {

// Polynomial growth of the lowest degree multiplies the norm by 2^10 between the two times;
// squaring twenty times loses far less than this margin.
constexpr double kMargin = 2.0;

double norm_after_squarings(EigenMatrix& m, int count) {
  for (int i = 0; i < count; ++i) m = (m * m).eval();
  return m.norm();
}

}  // namespace

bool grows(const Matrix& generator, double sign) {
  EigenMatrix m = (sign * as_eigen(generator)).exp();
  const double early = norm_after_squarings(m, 10);
  const double late = norm_after_squarings(m, 10);
  return !(late <= kMargin * early);  // also when it overflowed
}

}  // namespace sextant
