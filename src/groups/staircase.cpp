// SPDX-License-Identifier: Apache-2.0
// Kublanovskaya's staircase: in a basis that starts with the null space of B, the first columns of
// B are zero, and what remains of B is the same problem for chains one link shorter.
#include "groups/staircase.h"

#include <cmath>
#include <complex>

#include "base/check.h"
#include "math/lapack.h"

namespace sextant {
namespace {

struct RightSvd {
  Vector values;       // falling
  Eigen::MatrixXcd v;  // right vectors, by columns
};

RightSvd right_svd(const Eigen::MatrixXcd& b) {
  const int n = blas_int(b.rows()), one = 1;
  // One column more: zgemv of OpenBLAS 0.3.21 reads beyond the last (its issue 4013).
  Eigen::MatrixXcd a = Eigen::MatrixXcd::Zero(n, n + 1);
  a.leftCols(n) = b;
  RightSvd result{Vector(static_cast<std::size_t>(n)), {}};
  Vector real_work(5 * static_cast<std::size_t>(n));
  std::complex<double> query;
  int work_size = -1, info = 0;
  const auto call = [&](std::complex<double>* work) {
    const BlasCall held;
    zgesvd_("N", "O", &n, &n, a.data(), &n, result.values.data(), nullptr, &one, nullptr, &one,
            work, &work_size, real_work.data(), &info, 1, 1);
  };
  call(&query);
  work_size = static_cast<int>(query.real());
  std::vector<std::complex<double>> work(static_cast<std::size_t>(work_size));
  call(work.data());
  if (info != 0)
    fail(ErrorCode::kNumeric, "staircase", "singular values must converge but {} do not (zgesvd)",
         info);
  result.v = a.leftCols(n).adjoint();
  return result;
}

using Charge = std::function<void(double, double)>;

// Of all steps from n rows on if each takes `nullity` of them, as many as the last: Weyr numbers
// never rise. What remains at the end is zero and costs nothing.
double least_work(Index n, Index nullity) {
  double result = 0.0;
  for (; n > nullity; n -= nullity) result += std::pow(static_cast<double>(n), 3.0);
  return result;
}

// `sides`: how many deflations such as this one are ahead, itself among them.
std::optional<Staircase> by_null_spaces(Eigen::MatrixXcd b, double tolerance, double sides,
                                        const Charge& charge) {
  Staircase result;
  while (b.rows() > 0) {
    const Index n = b.rows();
    Index nullity = n;
    double zeroed = b.norm();
    if (zeroed > tolerance) {
      const double step = std::pow(static_cast<double>(n), 3.0);
      const Index last = result.weyr.empty() ? n : result.weyr.back();
      if (charge) charge(step, sides * (step + least_work(n - last, last)) - step);
      const RightSvd svd = right_svd(b);
      nullity = 0;
      zeroed = 0.0;
      while (nullity < n) {
        const double value = svd.values[static_cast<std::size_t>(n - 1 - nullity)];
        if (value > tolerance) break;
        zeroed = std::hypot(zeroed, value);
        ++nullity;
      }
      const auto kept = svd.v.leftCols(n - nullity);
      b = (kept.adjoint() * b * kept).eval();
    } else {
      b.resize(0, 0);
    }
    result.error = std::hypot(result.error, zeroed);
    const bool rises = !result.weyr.empty() && nullity > result.weyr.back();
    if (nullity == 0 || rises || result.error > tolerance) return std::nullopt;
    result.weyr.push_back(nullity);
  }
  return result;
}

}  // namespace

std::optional<Staircase> nilpotent_staircase(const Eigen::MatrixXcd& b, double tolerance,
                                             const Charge& charge) {
  auto right = by_null_spaces(b, tolerance, 2.0, charge);
  auto left = by_null_spaces(b.adjoint(), tolerance, 1.0, charge);
  return left && (!right || left->error < right->error) ? left : right;
}

}  // namespace sextant
