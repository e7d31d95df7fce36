// SPDX-License-Identifier: Apache-2.0
#include "geometry/row_spectrum.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/memory.h"
#include "math/centring.h"
#include "math/exact_sums.h"
#include "math/spectrum.h"

namespace sextant {
namespace {

constexpr Index kTokenParts = 8;  // of the tokens; each part has its own Gram matrix

// A spectrum as numbers, and back.
Vector flat(const Spectrum& s) {
  Vector numbers = {s.residual, s.orthogonality, s.multiplicity_certified ? 1.0 : 0.0,
                    static_cast<double>(s.values.size())};
  numbers.insert(numbers.end(), s.values.begin(), s.values.end());
  numbers.insert(numbers.end(), s.vectors.values().begin(), s.vectors.values().end());
  return numbers;
}

Spectrum unflat(const Vector& numbers) {
  Spectrum s;
  s.residual = numbers[0];
  s.orthogonality = numbers[1];
  s.multiplicity_certified = numbers[2] != 0.0;
  const auto count = static_cast<Index>(numbers[3]);
  const auto values = numbers.begin() + 4;
  s.values.assign(values, values + count);
  const Index left = static_cast<Index>(numbers.size()) - 4 - count;
  s.vectors = Matrix(count == 0 ? 0 : left / count, count);
  std::copy(values + count, numbers.end(), s.vectors.values().begin());
  return s;
}

// What rank 0 makes with the help of all, on every rank.
Spectrum served(const RowOperator& product, Communicator& ranks,
                const std::function<Spectrum(const Operator&)>& work) {
  Spectrum found;
  product.serve([&](const Operator& apply) { found = work(apply); });
  if (ranks.size() == 1) return found;
  return unflat(from_root(ranks, [&] { return flat(found); }));
}

// S S^T over all ranks. Entries are at most 1: cut to multiples of 2^-51, sums of the parts are
// exact in any order.
Matrix summed_gram(const CellSource& cells, const PositionRows& rows, Communicator& ranks,
                   Index threads) {
  const Cut cut(1);
  const Index n = rows.rows();
  Matrix sum(n, n);
  for (Index part = ranks.rank(); part < kTokenParts; part += ranks.size()) {
    const Matrix g = gram(columns_of_part(cells, rows, part, kTokenParts), threads);
    for (std::size_t k = 0; k < g.values().size(); ++k) sum.values()[k] += cut(g.values()[k]);
  }
  ranks.sum(sum.values());
  return sum;
}

// The matrix, a copy and what LAPACK takes, and two of the eigenvectors.
double matrix_bytes(double n, Index count) {
  return 8.0 * n * (3.0 * n + 2.0 * static_cast<double>(count));
}

}  // namespace

void refuse_together(Communicator& ranks, const MemoryShare& share, double bytes,
                     std::string_view where, std::string_view what, std::string_view advice) {
  const std::optional<std::uint64_t> available = available_memory();
  const double have =
      share.limit ? *share.limit
      : available ? 0.8 * static_cast<double>(*available) / static_cast<double>(share.ranks_here)
                  : std::numeric_limits<double>::infinity();
  const double lacking[2] = {bytes, have};
  for (const auto& one : ranks.gather_all(std::as_bytes(std::span(lacking)))) {
    double numbers[2];
    std::memcpy(numbers, one.data(), sizeof(numbers));
    if (numbers[0] <= numbers[1]) continue;
    fail(ErrorCode::kRefused, where, "{} needs {:.2f} GB of memory but {:.2f} GB may be used; {}",
         what, numbers[0] * 1e-9, numbers[1] * 1e-9, advice);
  }
}

bool indistinguishable(double trace, Index rows) {
  return trace <= 1e-14 * static_cast<double>(rows);
}

Spectrum krylov_spectrum(const RowOperator& product, const PositionRows& rows, Communicator& ranks,
                         Index count) {
  return served(product, ranks,
                [&](const Operator& apply) { return top_eigenpairs(rows.rows(), apply, count); });
}

// The basis, the vectors that it restarts from, and blocks.
double krylov_vectors(Index count) {
  return 2.0 * static_cast<double>(std::max(4 * count, count + 128)) + 64.0;
}

double krylov_bytes(Index rows, Index tokens, Index count, Index threads) {
  const auto n = static_cast<double>(rows);
  const double solver =
      is_written_out(rows, count) ? matrix_bytes(n, count) : 8.0 * krylov_vectors(count) * n;
  return solver + RowOperator::bytes(rows, tokens, threads);
}

// Sums of S^T x are two numbers, to rank 0 and back; x goes out and its image comes in.
double krylov_network(Index rows, Index tokens) {
  return 32.0 * static_cast<double>(tokens) + 16.0 * static_cast<double>(rows);
}

Spectrum dense_spectrum(const CellSource& cells, const PositionRows& rows, Communicator& ranks,
                        Index count, Index threads) {
  Matrix b = summed_gram(cells, rows, ranks, threads);
  return unflat(from_root(ranks, [&] {
    centre_both_sides(b);
    return flat(top_eigenpairs(b, count, threads));
  }));
}

double dense_bytes(const PositionRows& rows, Index count) {
  return matrix_bytes(static_cast<double>(rows.rows()), count);
}

Spectrum checked_spectrum(const RowOperator& product, Communicator& ranks, Spectrum found) {
  return served(product, ranks, [&](const Operator& apply) {
    check_spectrum(apply, 0.0, found);
    if (!(found.residual <= kMostResidual && found.orthogonality <= kMostOrthogonality))
      fail(ErrorCode::kNumeric, "spectrum", "residual {:.1e}, orthogonality {:.1e}", found.residual,
           found.orthogonality);
    return std::move(found);
  });
}

Matrix coordinates(const Spectrum& spectrum) {
  Matrix points = spectrum.vectors;
  for (Index k = 0; k < points.cols(); ++k) {
    const double length = std::sqrt(std::max(spectrum.values[static_cast<std::size_t>(k)], 0.0));
    for (Index i = 0; i < points.rows(); ++i) points(i, k) *= length;
  }
  return points;
}

}  // namespace sextant
