// SPDX-License-Identifier: Apache-2.0
// Eigenvalues and inertia by LAPACK.
#include <algorithm>
#include <vector>

#include "math/memory_plan.h"
#include "math/spectrum.h"

namespace sextant {
namespace {

// The `count` largest eigenvalues, rising; with `vectors` also their vectors. MRRR for all, else
// bisection, which at times loses some of a cluster: then there are fewer. The matrix is destroyed.
Vector by_dsyevr(Matrix& a, Index count, Columns* vectors) {
  const int n = blas_int(a.rows()), first = n - blas_int(count) + 1;
  const char* job = vectors ? "V" : "N";
  const char* range = count == a.rows() ? "A" : "I";
  const double none = 0.0;
  double* z = vectors ? vectors->values.data() : nullptr;
  int found = 0, info = 0, work_size = -1, int_size = -1, int_query = 0;
  double query = 0.0;
  Vector values(static_cast<std::size_t>(n));
  std::vector<int> support(2 * static_cast<std::size_t>(n));
  const auto call = [&](double* work, int* ints) {
    const BlasCall held;
    dsyevr_(job, range, "L", &n, a.values().data(), &n, &none, &none, &first, &n, &none, &found,
            values.data(), z, &n, support.data(), work, &work_size, ints, &int_size, &info, 1, 1,
            1);
  };
  call(&query, &int_query);
  work_size = static_cast<int>(query);
  int_size = int_query;
  Vector work(static_cast<std::size_t>(work_size));
  std::vector<int> ints(static_cast<std::size_t>(int_size));
  call(work.data(), ints.data());
  if (info != 0 || (found != n && count == a.rows())) {
    fail(ErrorCode::kNumeric, "spectrum", "LAPACK found {} of {} eigenvalues (dsyevr: {})", found,
         count, info);
  }
  values.resize(static_cast<std::size_t>(found));
  return values;
}

}  // namespace

Spectrum lapack_eigenpairs(const Matrix& symmetric, Index count) {
  const Index n = symmetric.rows();
  Columns vectors(n, count);
  Matrix destroyed = symmetric;
  Vector values = by_dsyevr(destroyed, count, &vectors);
  if (std::ssize(values) < count) {
    refuse_beyond_memory("spectrum", bytes_of(n, n));
    destroyed = symmetric;
    Columns all(n, n);
    values = by_dsyevr(destroyed, n, &all);
    values.erase(values.begin(), values.end() - count);
    std::copy(all.col(n - count), all.col(n - count) + n * count, vectors.col(0));
  }
  return to_spectrum(values, vectors, true);
}

Index eigenvalues_above(Matrix symmetric, double sigma) {
  const int n = blas_int(symmetric.rows());
  for (Index i = 0; i < symmetric.rows(); ++i) symmetric(i, i) -= sigma;
  std::vector<int> pivots(static_cast<std::size_t>(n));
  double query = 0.0;
  int work_size = -1, info = 0;
  double* a = symmetric.values().data();
  const BlasCall held;
  dsytrf_("L", &n, a, &n, pivots.data(), &query, &work_size, &info, 1);
  work_size = static_cast<int>(query);
  Vector work(static_cast<std::size_t>(work_size));
  dsytrf_("L", &n, a, &n, pivots.data(), work.data(), &work_size, &info, 1);
  // D has blocks of one, and of two where the pivot is negative; the latter have one eigenvalue of
  // each sign.
  Index above = 0;
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    const auto at = static_cast<Index>(i);
    if (pivots[i] < 0) {
      ++above;
      ++i;
    } else if (symmetric(at, at) > 0.0) {
      ++above;
    }
  }
  return above;
}

Vector eigenvalues(const Matrix& symmetric) {
  require(symmetric.rows() == symmetric.cols(), "spectrum", "a matrix of {} x {} is not square",
          symmetric.rows(), symmetric.cols());
  if (symmetric.rows() == 0) return {};
  refuse_beyond_memory("spectrum", bytes_of(symmetric.rows(), symmetric.rows()));
  Matrix copy = symmetric;
  Vector values = by_dsyevr(copy, symmetric.rows(), nullptr);
  std::reverse(values.begin(), values.end());
  return values;
}

}  // namespace sextant
