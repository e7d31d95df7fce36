// SPDX-License-Identifier: Apache-2.0
// BLAS and LAPACK as OpenBLAS provides them: one thread per call. Integers have 32 bits.
#pragma once

#include <cblas.h>

#include <cstddef>
#include <limits>
#include <mutex>

#include "base/check.h"
#include "sextant/matrix.h"

// The last arguments are the lengths of the texts, as Fortran passes them.
// NOLINTBEGIN(readability-identifier-naming): LAPACK chose the names.
extern "C" {
void dsyevr_(const char* jobz, const char* range, const char* uplo, const int* n, double* a,
             const int* lda, const double* vl, const double* vu, const int* il, const int* iu,
             const double* abstol, int* m, double* w, double* z, const int* ldz, int* isuppz,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info, std::size_t,
             std::size_t, std::size_t);
void dsytrf_(const char* uplo, const int* n, double* a, const int* lda, int* ipiv, double* work,
             const int* lwork, int* info, std::size_t);
}
// NOLINTEND(readability-identifier-naming)

namespace sextant {

// Holds the library for one call or a few. OpenBLAS built without threads shares its buffers: two
// calls at once can mix their operands, rarely and without a sign. There a call waits for the
// other; with a threaded build it does not.
class BlasCall {
 public:
  BlasCall();

 private:
  std::unique_lock<std::mutex> lock_;
};

inline int blas_int(Index value) {
  if (value > std::numeric_limits<int>::max()) {
    fail(ErrorCode::kRefused, "linear algebra", "a matrix with a side of {} is too large", value);
  }
  return static_cast<int>(value);
}

// Dense [rows, cols] by columns, as LAPACK wants it; `values` may hold more columns than are used.
struct Columns {
  Index rows = 0;
  Vector values;

  Columns() = default;
  Columns(Index rows_, Index cols) : rows(rows_), values(static_cast<std::size_t>(rows_ * cols)) {}

  double* col(Index j) { return values.data() + j * rows; }
  const double* col(Index j) const { return values.data() + j * rows; }
};

// c = alpha a^T b + beta c for a [k, m], b [k, n], c [m, n], all by columns.
inline void multiply_transposed(Index m, Index n, Index k, double alpha, const double* a, Index lda,
                                const double* b, Index ldb, double beta, double* c, Index ldc) {
  if (m == 0 || n == 0) return;
  const BlasCall call;
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, blas_int(m), blas_int(n), blas_int(k), alpha,
              a, blas_int(lda), b, blas_int(ldb), beta, c, blas_int(ldc));
}

// c = alpha a b + beta c for a [m, k], b [k, n], c [m, n], all by columns.
inline void multiply(Index m, Index n, Index k, double alpha, const double* a, Index lda,
                     const double* b, Index ldb, double beta, double* c, Index ldc) {
  if (m == 0 || n == 0) return;
  const BlasCall call;
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, blas_int(m), blas_int(n), blas_int(k),
              alpha, a, blas_int(lda), b, blas_int(ldb), beta, c, blas_int(ldc));
}

}  // namespace sextant
