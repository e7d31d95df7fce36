// SPDX-License-Identifier: Apache-2.0
// How far distances are from targets. Tiles of the candidate are made once and compared with every
// target while they are in the cache; sums are taken per row, per tile, then over tiles in order.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "math/eigen_map.h"
#include "math/lapack.h"
#include "math/tiles.h"
#include "sextant/geometry.h"

namespace sextant {
namespace {

// Calls use(tile, distances) for every tile of the candidate on and above the diagonal; distances
// with i >= j have no meaning.
template <typename Use>
void for_each_distance_tile(const Distances& candidate, Index threads, const Use& use) {
  const std::vector<Tile> tiles = upper_tiles(candidate.size(), kDistanceTile);
  for_each_item(static_cast<Index>(tiles.size()), threads, [&](Index item) {
    const Tile& tile = tiles[static_cast<std::size_t>(item)];
    thread_local Vector buffer;
    buffer.resize(static_cast<std::size_t>(kDistanceTile * kDistanceTile));
    const auto out = std::span(buffer).first(static_cast<std::size_t>(tile.rows() * tile.cols()));
    candidate.tile(tile.first_row, tile.last_row, tile.first, tile.last, out);
    use(item, tile, std::span<const double>(out));
  });
}

// The pairs of row i inside a tile: the candidate's, and where they stand in a DistanceMatrix.
struct RowOfTile {
  std::span<const double> distances;
  Index start;
};

RowOfTile row_of_tile(const Tile& tile, std::span<const double> distances, Index i, Index n) {
  const Index first = std::max(tile.first, i + 1);
  if (first >= tile.last) return {{}, 0};
  const Index at = (i - tile.first_row) * tile.cols() + first - tile.first;
  return {
      distances.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(tile.last - first)),
      i * (2 * n - i - 1) / 2 + first - i - 1};
}

// Adds sum dd and sum de of one target over one tile.
void add_target(const DistanceMatrix& target, const Tile& tile, std::span<const double> distances,
                PairSums& sums) {
  for (Index i = tile.first_row; i < tile.last_row; ++i) {
    const auto [e, start] = row_of_tile(tile, distances, i, target.size());
    const auto d = target.values().subspan(static_cast<std::size_t>(start), e.size());
    sums.dd += dot(d, d);
    sums.de += dot(d, e);
  }
}

}  // namespace

double PairSums::raw() const {
  if (dd == 0.0) return 0.0;
  return std::max(0.0, (dd - 2.0 * de + ee) / dd);
}

double PairSums::scaled() const {
  if (dd == 0.0) return 0.0;
  if (ee == 0.0) return 1.0;
  return std::max(0.0, 1.0 - (de / dd) * (de / ee));
}

double PairSums::scale() const { return ee == 0.0 ? 0.0 : de / ee; }

std::vector<PairSums> pair_sums(std::span<const DistanceMatrix* const> targets,
                                const Distances& candidate, Index threads) {
  const Index n = candidate.size();
  for (const DistanceMatrix* target : targets) {
    require(target->size() == n, "stress", "{} positions against {}", target->size(), n);
  }
  const std::size_t tiles = upper_tiles(n, kDistanceTile).size();
  std::vector<PairSums> parts(tiles * targets.size());
  for_each_distance_tile(
      candidate, threads, [&](Index item, const Tile& tile, std::span<const double> distances) {
        double ee = 0.0;
        for (Index i = tile.first_row; i < tile.last_row; ++i) {
          const auto e = row_of_tile(tile, distances, i, n).distances;
          ee += dot(e, e);
        }
        for (std::size_t t = 0; t < targets.size(); ++t) {
          PairSums& part = parts[static_cast<std::size_t>(item) * targets.size() + t];
          part.ee = ee;
          add_target(*targets[t], tile, distances, part);
        }
      });
  std::vector<PairSums> sums(targets.size());
  for (std::size_t at = 0; at < parts.size(); ++at) {
    PairSums& total = sums[at % targets.size()];
    total.dd += parts[at].dd;
    total.ee += parts[at].ee;
    total.de += parts[at].de;
  }
  return sums;
}

double procrustes_residual(const Matrix& points, const Distances& candidate) {
  const Index n = candidate.size(), r = points.cols();
  require(points.rows() == n, "procrustes", "{} points against {} positions", points.rows(), n);
  if (n == 0) return 0.0;
  EigenMatrix y = as_eigen(points).rowwise() - as_eigen(points).colwise().mean();
  // M = Y^T B Y = -1/2 Y^T E2 Y, because Y is centred; tr B = 1/n sum over pairs of e^2.
  EigenMatrix m = EigenMatrix::Zero(r, r), part(kDistanceTile, r);
  Vector squares(static_cast<std::size_t>(kDistanceTile * kDistanceTile));
  double sum = 0.0;
  for_each_distance_tile(
      candidate, 1, [&](Index, const Tile& tile, std::span<const double> distances) {
        std::fill(squares.begin(), squares.end(), 0.0);
        for (Index i = tile.first_row; i < tile.last_row; ++i) {
          const auto e = row_of_tile(tile, distances, i, n).distances;
          double* line = squares.data() + (i - tile.first_row + 1) * tile.cols() - e.size();
          for (std::size_t k = 0; k < e.size(); ++k) line[k] = e[k] * e[k];
          sum += dot(e, e);
        }
        const Eigen::Map<const EigenMatrix> e2(squares.data(), tile.rows(), tile.cols());
        part.topRows(tile.rows()).noalias() = e2 * y.middleRows(tile.first, tile.cols());
        m.noalias() -=
            y.middleRows(tile.first_row, tile.rows()).transpose() * part.topRows(tile.rows());
      });
  const double size_x = sum / static_cast<double>(n), size_y = y.squaredNorm();
  if (size_x == 0.0 || size_y == 0.0) return size_x == size_y ? 0.0 : 1.0;
  const EigenMatrix symmetric = 0.5 * (m + m.transpose());
  double nuclear = 0.0;
  for (const double value : eigenvalues(to_matrix(symmetric))) {
    nuclear += std::sqrt(std::max(value, 0.0));
  }
  return std::max(0.0, 1.0 - (nuclear / size_x) * (nuclear / size_y));
}

}  // namespace sextant
