// SPDX-License-Identifier: Apache-2.0
#include "groups/conditioning.h"

#include <cfloat>
#include <cmath>
#include <limits>

#include "math/dense_svd.h"
#include "math/scaled_exponential.h"

namespace sextant {
namespace {

constexpr int kDoublings = 10;
constexpr Index kMostAllLags = 256;
constexpr Index kMostFirstLag = 1024;
constexpr double kFarthestNorm = 0x1p26;  // of lag |X|

}  // namespace

std::vector<GeneratorClass::At> conditioning_of(const Matrix& unit, double norm) {
  std::vector<GeneratorClass::At> result;
  const Index dim = unit.rows();
  if (norm > kFarthestNorm || dim > kMostFirstLag) return result;
  ScaledExponential value = ScaledExponential::of(unit, norm);
  const int last = dim <= kMostAllLags ? kDoublings : 0;
  for (int k = 0;; ++k) {
    const Eigen::VectorXd values = singular_values(as_eigen(value.m));
    const double log_norm = value.log_scale + std::log(values(0));
    if (log_norm > std::log(DBL_MAX)) return result;
    // Below rounding the smallest singular value is not known.
    const bool regular = values(dim - 1) > static_cast<double>(dim) * DBL_EPSILON * values(0);
    result.push_back(
        {std::ldexp(1.0, k), std::exp(log_norm),
         regular ? values(0) / values(dim - 1) : std::numeric_limits<double>::infinity()});
    if (k == last || std::ldexp(norm, k + 1) > kFarthestNorm) return result;
    value.multiply(ScaledExponential(value));
  }
}

}  // namespace sextant
