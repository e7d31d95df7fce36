// SPDX-License-Identifier: Apache-2.0
// Stress majorisation with unit weights (de Leeuw 1977; Borg and Groenen, chapter 8).
//
// x_i' = 1/n sum_j d_ij u_ij, u_ij the unit vector from x_j to x_i. Any unit vectors keep the
// majorisation, so points that coincide are parted along an axis: there stress has a cusp, which
// the usual rule (u = 0) never leaves.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "math/eigen_map.h"
#include "math/memory_plan.h"
#include "math/tiles.h"
#include "sextant/geometry.h"

namespace sextant {
namespace {

Matrix full(const DistanceMatrix& distances) {
  const Index n = distances.size();
  refuse_beyond_memory("smacof", bytes_of(n, n));
  Matrix result(n, n);
  auto next = distances.values().begin();
  for (Index i = 0; i < n; ++i) {
    for (Index j = i + 1; j < n; ++j, ++next) result(i, j) = result(j, i) = *next;
  }
  return result;
}

struct Step {
  Matrix next;      // the Guttman transform of the points
  double loss = 0;  // sum (d - e)^2 of the points themselves
};

class Majorisation {
 public:
  Majorisation(const DistanceMatrix& target, Index threads)
      : target_(full(target)), threads_(threads) {}

  Step step(const Matrix& points) const {
    Step result = {.next = Matrix(points.rows(), points.cols())};
    const Matrix axes = transposed(points);
    Vector losses(static_cast<std::size_t>(points.rows()));
    parallel_for(points.rows(), threads_, [&](Index first, Index last) {
      Vector buffer(static_cast<std::size_t>(points.rows()));
      for (Index i = first; i < last; ++i) {
        losses[static_cast<std::size_t>(i)] = move_point(i, axes, buffer, result.next.row(i));
      }
    });
    for (const double loss : losses) result.loss += 0.5 * loss;
    return result;
  }

 private:
  static Matrix transposed(const Matrix& m) {
    Matrix result(m.cols(), m.rows());
    as_eigen(result) = as_eigen(m).transpose();
    return result;
  }

  // Where point i goes; returns sum over j of (d - e)^2.
  double move_point(Index i, const Matrix& axes, std::span<double> e,
                    std::span<double> moved) const {
    const auto d = target_.row(i);
    const auto at = static_cast<std::size_t>(i);
    as_eigen(e).setZero();
    for (Index k = 0; k < axes.rows(); ++k) {
      as_eigen(e).array() += (as_eigen(axes.row(k)).array() - axes(k, i)).square();
    }
    as_eigen(e) = as_eigen(e).cwiseSqrt();
    e[at] = 1.0;  // d is 0 here: no pull and, below, no loss
    Lanes loss = {}, pull = {};
    Index apart = 0;
    for (std::size_t j = 0; j < e.size(); ++j) {
      const double miss = j == at ? 0.0 : d[j] - e[j];
      loss[j % kLanes] += miss * miss;
      if (e[j] == 0.0) {
        apart += d[j] > 0.0 ? 1 : 0;
        continue;
      }
      e[j] = d[j] / e[j];
      pull[j % kLanes] += e[j];
    }
    const double scale = 1.0 / static_cast<double>(e.size());
    for (Index k = 0; k < axes.rows(); ++k) {
      moved[static_cast<std::size_t>(k)] = scale * (sum(pull) * axes(k, i) - dot(e, axes.row(k)));
    }
    if (apart > 0) part(i, axes, scale, moved);
    return sum(loss);
  }

  // Adds d_ij u_ij for the points that coincide with point i; u runs along an axis, from the later
  // point to the earlier one.
  void part(Index i, const Matrix& axes, double scale, std::span<double> moved) const {
    for (Index j = 0; j < target_.rows(); ++j) {
      if (j == i) continue;
      bool same = true;
      for (Index k = 0; k < axes.rows(); ++k) same = same && axes(k, j) == axes(k, i);
      if (!same) continue;
      const auto axis = static_cast<std::size_t>((i + j) % axes.rows());
      moved[axis] += (i < j ? scale : -scale) * target_(i, j);
    }
  }

  Matrix target_;
  Index threads_;
};

}  // namespace

SmacofResult smacof(const DistanceMatrix& target, const Matrix& start, Index most_iterations,
                    double tolerance, Index threads) {
  const Index n = target.size();
  require(start.rows() == n, "smacof", "{} points for {} positions", start.rows(), n);
  const double total = dot(target.values(), target.values());
  SmacofResult result = {.points = start};
  if (n < 2 || start.cols() == 0 || total == 0.0) {
    // All targets zero: the best points coincide. No axis: nothing can be done.
    if (total == 0.0) result.points = Matrix(n, start.cols());
    result.stress_raw = total > 0.0 ? 1.0 : 0.0;
    result.converged = true;
    return result;
  }
  const Majorisation majorisation(target, threads);
  Step now = majorisation.step(start);
  while (result.iterations < most_iterations && !result.converged) {
    Step after = majorisation.step(now.next);
    ++result.iterations;
    const double gain = now.loss - after.loss;
    result.converged = gain <= tolerance * now.loss;
    if (gain < 0.0) break;  // rounding: the last points are as good as it gets
    result.points = std::move(now.next);
    now = std::move(after);
  }
  result.stress_raw = now.loss / total;
  return result;
}

}  // namespace sextant
