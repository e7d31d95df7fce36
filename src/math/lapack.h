// SPDX-License-Identifier: Apache-2.0
// BLAS and LAPACK as OpenBLAS provides them: one thread per call. Integers have 32 bits.
#pragma once

#include <cblas.h>

#include <complex>
#include <cstddef>
#include <limits>
#include <mutex>

#include "base/check.h"
#include "sextant/matrix.h"

// The last arguments are the lengths of the texts, as Fortran passes them.
// NOLINTBEGIN(readability-identifier-naming): LAPACK chose the names.
extern "C" {
void dgees_(const char* jobvs, const char* sort, int (*select)(const double*, const double*),
            const int* n, double* a, const int* lda, int* sdim, double* wr, double* wi, double* vs,
            const int* ldvs, double* work, const int* lwork, int* bwork, int* info, std::size_t,
            std::size_t);
void dgesdd_(const char* jobz, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork,
             int* iwork, int* info, std::size_t);
void dsyevr_(const char* jobz, const char* range, const char* uplo, const int* n, double* a,
             const int* lda, const double* vl, const double* vu, const int* il, const int* iu,
             const double* abstol, int* m, double* w, double* z, const int* ldz, int* isuppz,
             double* work, const int* lwork, int* iwork, const int* liwork, int* info, std::size_t,
             std::size_t, std::size_t);
void dgesv_(const int* n, const int* nrhs, double* a, const int* lda, int* ipiv, double* b,
            const int* ldb, int* info);
void dsytrf_(const char* uplo, const int* n, double* a, const int* lda, int* ipiv, double* work,
             const int* lwork, int* info, std::size_t);
void zgesvd_(const char* jobu, const char* jobvt, const int* m, const int* n,
             std::complex<double>* a, const int* lda, double* s, std::complex<double>* u,
             const int* ldu, std::complex<double>* vt, const int* ldvt, std::complex<double>* work,
             const int* lwork, double* rwork, int* info, std::size_t, std::size_t);
void ztrevc_(const char* side, const char* howmny, const int* select, const int* n,
             std::complex<double>* t, const int* ldt, std::complex<double>* vl, const int* ldvl,
             std::complex<double>* vr, const int* ldvr, const int* mm, int* m,
             std::complex<double>* work, double* rwork, int* info, std::size_t, std::size_t);
void ztrexc_(const char* compq, const int* n, std::complex<double>* t, const int* ldt,
             std::complex<double>* q, const int* ldq, const int* ifst, const int* ilst, int* info,
             std::size_t);
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
