// SPDX-License-Identifier: Apache-2.0
#include "groups/conditioning.h"

#include <cfloat>
#include <cmath>

#include "base/check.h"
#include "math/lapack.h"
#include "math/scaled_exponential.h"

namespace sextant {
namespace {

constexpr int kDoublings = 10;
constexpr Index kMostAllLags = 256;
constexpr Index kMostFirstLag = 1024;
constexpr double kFarthest = 0x1p26;  // of lag |X|

Vector singular_values(Matrix a) {
  const int n = blas_int(a.rows()), one = 1;
  Vector values(static_cast<std::size_t>(n));
  std::vector<int> ints(8 * static_cast<std::size_t>(n));
  double query = 0.0;
  int work_size = -1, info = 0;
  const auto call = [&](double* work) {
    const BlasCall held;
    dgesdd_("N", &n, &n, a.values().data(), &n, values.data(), nullptr, &one, nullptr, &one, work,
            &work_size, ints.data(), &info, 1);
  };
  call(&query);
  work_size = static_cast<int>(query);
  Vector work(static_cast<std::size_t>(work_size));
  call(work.data());
  if (info != 0)
    fail(ErrorCode::kNumeric, "conditioning", "singular values must converge but do not (dgesdd)");
  return values;
}

}  // namespace

std::vector<GeneratorClass::At> conditioning_of(const Matrix& unit, double norm) {
  std::vector<GeneratorClass::At> result;
  const Index dim = unit.rows();
  if (norm > kFarthest || dim > kMostFirstLag) return result;
  ScaledExponential value = ScaledExponential::of(unit, norm);
  const int last = dim <= kMostAllLags ? kDoublings : 0;
  for (int k = 0;; ++k) {
    const Vector values = singular_values(value.m);
    const double log_norm = value.log_scale + std::log(values.front());
    if (log_norm > std::log(DBL_MAX)) return result;
    // Below rounding the smallest singular value is not known.
    const bool regular = values.back() > static_cast<double>(dim) * DBL_EPSILON * values.front();
    result.push_back(
        {std::ldexp(1.0, k), std::exp(log_norm),
         regular ? values.front() / values.back() : std::numeric_limits<double>::infinity()});
    if (k == last || std::ldexp(norm, k + 1) > kFarthest) return result;
    value.multiply(ScaledExponential(value));
  }
}

}  // namespace sextant
