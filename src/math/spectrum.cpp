// SPDX-License-Identifier: Apache-2.0
// Eigenpairs of symmetric matrices: which solver, and the checks that no result escapes.
#include "math/spectrum.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "math/memory_plan.h"
#include "math/tiles.h"

namespace sextant {
namespace {

constexpr Index kClearlyLarge = 3072;
constexpr Index kSmall = 1024;        // LAPACK is faster up to here
constexpr Index kRowTile = 256;       // rows of B x that one call of BLAS makes
constexpr Index kTinyOperator = 256;  // operators up to this size are written out

// By measurement, spectra with a flat bulk included; there LAPACK wins unless n is large.
bool krylov_is_faster(Index n, Index count) {
  return n > kSmall && count < n / (n >= kClearlyLarge ? 8 : 64);
}

double frobenius(const Matrix& m) {
  double sum = 0.0;
  for (Index i = 0; i < m.rows(); ++i) sum += dot(m.row(i), m.row(i));
  return std::sqrt(sum);
}

void require_symmetric(const Matrix& m) {
  require(m.rows() == m.cols(), "spectrum", "a matrix of {} x {} is not square", m.rows(),
          m.cols());
  double sum = 0.0;
  for (const double value : m.values()) sum += value;
  if (std::isfinite(sum)) return;
  for (const double value : m.values()) {
    if (!std::isfinite(value)) {
      fail(ErrorCode::kNumeric, "spectrum", "the matrix holds a value that is not finite");
    }
  }
}

Operator product_with(const Matrix& b, Index threads) {
  return [&b, threads](const Matrix& x, Matrix& y) {
    const Index n = b.rows(), width = x.cols();
    const Index tiles = (n + kRowTile - 1) / kRowTile;
    for_each_item(tiles, threads, [&](Index tile) {
      const Index first = tile * kRowTile, rows = std::min(kRowTile, n - first);
      const BlasCall held;
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, blas_int(rows), blas_int(width),
                  blas_int(n), 1.0, b.row(first).data(), blas_int(n), x.values().data(),
                  blas_int(width), 0.0, y.row(first).data(), blas_int(width));
    });
  };
}

bool good(const Spectrum& s) {
  return !s.values.empty() && s.residual <= kMostResidual && s.orthogonality <= kMostOrthogonality;
}

// Whether no eigenvalue above the smallest found one is missing, within the precision of the
// values.
bool complete(const Matrix& b, double norm, const Spectrum& found) {
  const double precision =
      10.0 * norm * std::max(found.residual, 1e-15 * static_cast<double>(b.rows()));
  const double sigma = found.values.back() + precision;
  const auto above = std::count_if(found.values.begin(), found.values.end(),
                                   [&](double value) { return value > sigma; });
  return eigenvalues_above(b, sigma) == above;
}

// By Krylov; no values where it gave up or failed a check.
Spectrum certified_krylov(const Matrix& b, double norm, Index count, Index threads) {
  const Index n = b.rows();
  const KrylovPlan plan = {.count = count, .block = 16, .most_columns = 3 * n / 4, .hurried = true};
  const Operator apply = product_with(b, threads);
  Spectrum found = krylov_eigenpairs(n, apply, plan);
  if (found.values.empty()) return {};
  check_spectrum(apply, norm, found);
  if (!good(found)) return {};
  found.multiplicity_certified = false;
  if (!fits_into_memory(bytes_of(n, n))) return found;
  if (!complete(b, norm, found)) return {};
  found.multiplicity_certified = true;
  return found;
}

}  // namespace

Spectrum to_spectrum(const Vector& values, const Columns& vectors, bool rising) {
  const Index n = vectors.rows, count = static_cast<Index>(values.size());
  Spectrum spectrum;
  spectrum.values = values;
  if (rising) std::reverse(spectrum.values.begin(), spectrum.values.end());
  spectrum.vectors = Matrix(n, count);
  for (Index k = 0; k < count; ++k) {
    const std::span column(vectors.col(rising ? count - 1 - k : k), static_cast<std::size_t>(n));
    double largest = 0.0;
    for (const double x : column) largest = std::max(largest, std::abs(x));
    const auto lead = std::find_if(column.begin(), column.end(),
                                   [&](double x) { return std::abs(x) >= largest * (1.0 - 1e-8); });
    const double sign = lead != column.end() && *lead < 0.0 ? -1.0 : 1.0;
    for (Index i = 0; i < n; ++i) {
      spectrum.vectors(i, k) = sign * column[static_cast<std::size_t>(i)];
    }
  }
  return spectrum;
}

void check_spectrum(const Operator& apply, double norm, Spectrum& spectrum) {
  const Matrix& v = spectrum.vectors;
  const Index n = v.rows(), count = v.cols();
  spectrum.residual = spectrum.orthogonality = 0.0;
  for (const double value : spectrum.values) norm = std::max(norm, std::abs(value));
  Matrix image(n, count);
  apply(v, image);
  Vector squares(static_cast<std::size_t>(count));
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < count; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const double rest = image(i, k) - spectrum.values[at] * v(i, k);
      squares[at] += rest * rest;
    }
  }
  const double worst = std::sqrt(*std::max_element(squares.begin(), squares.end()));
  spectrum.residual = norm > 0.0 ? worst / norm : worst;
  Matrix products(count, count);
  const BlasCall held;
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, blas_int(count), blas_int(n), 1.0,
              v.values().data(), blas_int(count), 0.0, products.values().data(), blas_int(count));
  for (Index i = 0; i < count; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const double off = std::abs(products(i, j) - (i == j ? 1.0 : 0.0));
      spectrum.orthogonality = std::max(spectrum.orthogonality, off);
    }
  }
}

Spectrum top_eigenpairs(const Matrix& symmetric, Index count, Index threads) {
  require_symmetric(symmetric);
  const Index n = symmetric.rows();
  require(count >= 0 && count <= n, "spectrum", "{} eigenpairs of a matrix of size {}", count, n);
  if (n == 0) return {};
  if (count == 0) count = n;
  // Frobenius over sqrt n is never above the spectral norm: the checks are strict.
  const double norm = frobenius(symmetric) / std::sqrt(static_cast<double>(n));
  if (krylov_is_faster(n, count)) {
    Spectrum found = certified_krylov(symmetric, norm, count, threads);
    if (!found.values.empty()) return found;
  }
  refuse_beyond_memory("spectrum", bytes_of(n, n + 2 * count));
  Spectrum found = lapack_eigenpairs(symmetric, count);
  check_spectrum(product_with(symmetric, threads), norm, found);
  if (!good(found)) {
    fail(ErrorCode::kNumeric, "spectrum", "residual {:.1e}, orthogonality {:.1e}", found.residual,
         found.orthogonality);
  }
  return found;
}

bool is_written_out(Index n, Index count) { return n <= kTinyOperator || 4 * count > n; }

Spectrum top_eigenpairs(Index n, const Operator& apply, Index count) {
  require(count >= 0 && count <= n, "spectrum", "{} eigenpairs of an operator of size {}", count,
          n);
  if (n == 0) return {};
  if (count == 0) count = n;
  if (is_written_out(n, count)) {
    refuse_beyond_memory("spectrum", bytes_of(n, 3 * n));
    Matrix written(n, n);
    apply(Matrix::identity(n), written);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < i; ++j) {
        written(i, j) = written(j, i) = 0.5 * (written(i, j) + written(j, i));
      }
    }
    return top_eigenpairs(written, count);
  }
  const KrylovPlan plan = {.count = count, .block = 8, .most_columns = 200 * (count + 8)};
  Spectrum found = krylov_eigenpairs(n, apply, plan);
  if (found.values.empty()) {
    fail(ErrorCode::kNumeric, "spectrum", "not converged after {} products", plan.most_columns);
  }
  check_spectrum(apply, 0.0, found);
  if (!good(found)) {
    fail(ErrorCode::kNumeric, "spectrum", "residual {:.1e}, orthogonality {:.1e}", found.residual,
         found.orthogonality);
  }
  found.multiplicity_certified = false;
  return found;
}

}  // namespace sextant
