// SPDX-License-Identifier: Apache-2.0
#include "model/row_geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace sextant {
namespace {

constexpr Index kMostRows = 1024;
constexpr std::size_t kMostWaves = 8;

// Scaled stress and share of the squared distances of the first `rank` dimensions.
struct Fit {
  double stress = 0.0;
  double share = 0.0;
};

Fit fit_of(const DistanceMatrix& distances, const Embedding& mds, Index rank, double trace) {
  const Index dims = std::min(rank, mds.points.cols());
  const DistanceMatrix* const targets[] = {&distances};
  Fit fit;
  fit.stress =
      pair_sums(targets, *distances_of_rows(to_matrix(as_eigen(mds.points).leftCols(dims))))
          .front()
          .scaled();
  for (Index k = 0; k < dims; ++k)
    fit.share += std::max(0.0, mds.eigenvalues[static_cast<std::size_t>(k)]) / trace;
  fit.share = std::min(fit.share, 1.0);
  return fit;
}

DistanceMatrix distances_of_gram(const Matrix& gram) {
  DistanceMatrix result(gram.rows());
  Index k = 0;
  for (Index i = 0; i < gram.rows(); ++i)
    for (Index j = i + 1; j < gram.rows(); ++j, ++k)
      result.values()[static_cast<std::size_t>(k)] =
          std::sqrt(std::max(0.0, gram(i, i) + gram(j, j) - 2.0 * gram(i, j)));
  return result;
}

void add_lags(TableGeometry& geometry, const DistanceMatrix& distances,
              const std::vector<Index>& at) {
  Vector lags;
  lags.reserve(distances.values().size());
  const auto size = static_cast<std::size_t>((at.back() - at.front()) / geometry.step + 1);
  Vector sums(size), counts(size);
  for (std::size_t i = 0; i < at.size(); ++i) {
    for (std::size_t j = i + 1; j < at.size(); ++j) {
      const Index lag = at[j] - at[i];
      const auto bin = static_cast<std::size_t>(lag / geometry.step);
      sums[bin] += distances.values()[lags.size()];
      counts[bin] += 1.0;
      lags.push_back(static_cast<double>(lag));
    }
  }
  geometry.lag_pearson = pearson(distances.values(), lags);
  geometry.lag_spearman = spearman(distances.values(), lags);
  geometry.distance_by_lag.reserve(size);
  geometry.distance_by_lag.push_back(0.0);
  for (std::size_t k = 1; k < size; ++k)
    geometry.distance_by_lag.push_back(counts[k] > 0.0 ? sums[k] / counts[k]
                                                       : std::numeric_limits<double>::quiet_NaN());
}

// The power of every column at each frequency, summed: that of the cyclic sums over the diagonals
// of the Gram matrix. Rows that are missing count as the mean.
std::vector<Wave> waves_of(const Matrix& gram, const std::vector<Index>& at, Index length,
                           double trace) {
  const auto n = static_cast<std::size_t>(length);
  Vector diagonal(n);
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t j = 0; j < at.size(); ++j)
      diagonal[static_cast<std::size_t>((at[i] - at[j] + length) % length)] +=
          gram(static_cast<Index>(i), static_cast<Index>(j));
  Vector turn(n);
  for (std::size_t k = 0; k < n; ++k)
    turn[k] = std::cos(2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  std::vector<Wave> waves;
  waves.reserve(n / 2);
  for (std::size_t k = 1; k <= n / 2; ++k) {
    double power = 0.0;
    for (std::size_t lag = 0; lag < n; ++lag) power += diagonal[lag] * turn[k * lag % n];
    const double both = 2 * k == n ? 1.0 : 2.0;  // k and n - k
    waves.push_back({static_cast<Index>(k), static_cast<double>(n) / static_cast<double>(k),
                     std::max(0.0, both * power / (static_cast<double>(n) * trace))});
  }
  std::ranges::stable_sort(waves, std::greater<>(), &Wave::share);
  if (waves.size() > kMostWaves) waves.resize(kMostWaves);
  return waves;
}

}  // namespace

TableGeometry row_geometry(const Eigen::Ref<const EigenMatrix>& rows, const std::vector<Index>& at,
                           Index length) {
  TableGeometry geometry;
  geometry.step = (rows.rows() + kMostRows - 1) / kMostRows;
  geometry.rows = (rows.rows() + geometry.step - 1) / geometry.step;
  EigenMatrix chosen(geometry.rows, rows.cols());
  std::vector<Index> places;
  places.reserve(static_cast<std::size_t>(geometry.rows));
  for (Index k = 0; k < geometry.rows; ++k) {
    chosen.row(k) = rows.row(k * geometry.step);
    places.push_back(at[static_cast<std::size_t>(k * geometry.step)]);
  }
  const Eigen::RowVectorXd mean = chosen.colwise().mean();
  chosen.rowwise() -= mean;
  Matrix gram(geometry.rows, geometry.rows);
  as_eigen(gram).noalias() = chosen * chosen.transpose();
  const double trace = as_eigen(gram).trace();
  if (trace <= 0.0) return geometry;
  const DistanceMatrix distances = distances_of_gram(gram);
  const Embedding mds = classical_mds(gram, std::min<Index>(8, geometry.rows));
  const Fit two = fit_of(distances, mds, 2, trace), eight = fit_of(distances, mds, 8, trace);
  geometry.share2 = two.share;
  geometry.stress2 = two.stress;
  geometry.share8 = eight.share;
  geometry.stress8 = eight.stress;
  add_lags(geometry, distances, places);
  if (geometry.step == 1) geometry.waves = waves_of(gram, places, length, trace);
  return geometry;
}

}  // namespace sextant
