// SPDX-License-Identifier: Apache-2.0
// The spectrum of sparse rows without their Gram matrix: y = J S (S^T (J x)).
#include <algorithm>

#include "base/check.h"
#include "math/eigen_map.h"
#include "math/spectrum.h"
#include "math/tiles.h"

namespace sextant {
namespace {

// Fixed parts of the columns, each with its own sum.
constexpr Index kParts = 4;

void centre(Matrix& x) { as_eigen(x).rowwise() -= as_eigen(x).colwise().mean().eval(); }

// First column of each part; parts have about the same number of entries.
std::vector<std::size_t> part_starts(const SparseColumns& s) {
  std::vector<std::size_t> starts;
  for (Index part = 0; part < kParts; ++part) {
    const std::size_t wanted = s.value.size() * static_cast<std::size_t>(part) / kParts;
    const auto at = std::lower_bound(s.starts.begin(), s.starts.end() - 1, wanted);
    starts.push_back(static_cast<std::size_t>(at - s.starts.begin()));
  }
  starts.push_back(static_cast<std::size_t>(s.columns()));
  return starts;
}

// y += s_v (s_v^T x) over the columns [first, last).
void add_columns(const SparseColumns& s, std::size_t first, std::size_t last, const Matrix& x,
                 Matrix& y) {
  const auto width = static_cast<std::size_t>(x.cols());
  Vector shares(width);
  for (std::size_t v = first; v < last; ++v) {
    std::fill(shares.begin(), shares.end(), 0.0);
    for (std::size_t k = s.starts[v]; k < s.starts[v + 1]; ++k) {
      const double* from = x.values().data() + s.row[k] * width;
      for (std::size_t j = 0; j < width; ++j) shares[j] += s.value[k] * from[j];
    }
    for (std::size_t k = s.starts[v]; k < s.starts[v + 1]; ++k) {
      double* to = y.values().data() + s.row[k] * width;
      for (std::size_t j = 0; j < width; ++j) to[j] += s.value[k] * shares[j];
    }
  }
}

}  // namespace

Spectrum top_eigenpairs_of_rows(const SparseColumns& s, Index count, Index threads) {
  const std::vector<std::size_t> starts = part_starts(s);
  const auto apply = [&](const Matrix& x, Matrix& y) {
    Matrix centred = x;
    centre(centred);
    std::vector<Matrix> sums(kParts);
    for_each_item(kParts, threads, [&](Index part) {
      const auto p = static_cast<std::size_t>(part);
      sums[p] = Matrix(x.rows(), x.cols());
      add_columns(s, starts[p], starts[p + 1], centred, sums[p]);
    });
    y = std::move(sums[0]);
    for (std::size_t p = 1; p < kParts; ++p) as_eigen(y) += as_eigen(std::as_const(sums[p]));
    centre(y);
  };
  return top_eigenpairs(s.rows, apply, count);
}

}  // namespace sextant
