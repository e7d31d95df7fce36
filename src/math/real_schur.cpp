// SPDX-License-Identifier: Apache-2.0
#include "math/real_schur.h"

#include "math/lapack.h"

namespace sextant {

void to_real_schur(Index n, double* x, double* q) {
  const int side = blas_int(n);
  Vector real(static_cast<std::size_t>(n)), imaginary(static_cast<std::size_t>(n));
  double query = 0.0;
  int work_size = -1, sorted = 0, info = 0;
  const auto call = [&](double* work) {
    const BlasCall held;
    dgees_(q ? "V" : "N", "N", nullptr, &side, x, &side, &sorted, real.data(), imaginary.data(), q,
           &side, work, &work_size, nullptr, &info, 1, 1);
  };
  call(&query);
  work_size = static_cast<int>(query);
  Vector work(static_cast<std::size_t>(work_size));
  call(work.data());
  if (info != 0)
    fail(ErrorCode::kNumeric, "Schur form", "the eigenvalues must converge but stop at {} (dgees)",
         info);
}

}  // namespace sextant
