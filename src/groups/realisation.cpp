// SPDX-License-Identifier: Apache-2.0
#include "groups/realisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "groups/shift.h"
#include "math/dense_svd.h"

namespace sextant {
namespace {

constexpr Index kMostRows = 512;  // of the Hankel matrix, twice that for wide maps: seconds

// C, Z, B with A(k step) = C Z^k B.
struct Discrete {
  EigenMatrix c, z, b;
};

// A(0), A(step), A(2 step), ... as far as they were sampled.
std::vector<const LagMean*> run_from_zero(const LagMeans& means, double step) {
  std::vector<const LagMean*> run;
  for (Index k = 0;; ++k) {
    const LagMean* lag = means.find(Position(static_cast<double>(k) * step));
    if (lag == nullptr) return run;
    run.push_back(lag);
  }
}

EigenMatrix hankel(const std::vector<const LagMean*>& run, Index rows, Index cols, Index first) {
  const Index h = run.front()->mean.rows(), w = run.front()->mean.cols();
  EigenMatrix result(rows * h, cols * w);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j)
      result.block(i * h, j * w, h, w) = run[static_cast<std::size_t>(first + i + j)]->mean;
  return result;
}

Discrete balanced(const DenseSvd& svd, Index rank, const EigenMatrix& shifted, Index height,
                  Index width) {
  const Eigen::VectorXd root = svd.values.head(rank).cwiseSqrt();
  const EigenMatrix u = svd.u.leftCols(rank), v = svd.v.leftCols(rank);
  const auto inverse = root.cwiseInverse().asDiagonal();
  return {.c = u.topRows(height) * root.asDiagonal(),
          .z = inverse * (u.transpose() * shifted * v) * inverse,
          .b = root.asDiagonal() * v.topRows(width).transpose()};
}

// Relative residuals of C Z^k B over the sampled multiples of the step, of lags >= 0 and of all.
struct Residuals {
  double behind = 0.0, both = 0.0;
};
Residuals residuals(const Discrete& system, const LagMeans& means, double step) {
  const auto miss = [&](const EigenMatrix& z, double sign, Index first) {
    double off = 0.0, all = 0.0;
    EigenMatrix state = system.b;
    for (Index k = 0;; ++k, state = (z * state).eval()) {
      const LagMean* lag = means.find(Position(sign * static_cast<double>(k) * step));
      if (lag == nullptr) break;
      if (k < first) continue;
      off += lag->weight * (system.c * state - lag->mean).squaredNorm();
      all += lag->weight * lag->mean.squaredNorm();
    }
    return std::pair(off, all);
  };
  const auto [off, all] = miss(system.z, 1.0, 0);
  const Index order = system.z.rows();
  const EigenMatrix back = dense_svd(system.z).solve(Eigen::MatrixXd::Identity(order, order));
  const auto [off_back, all_back] = miss(back, -1.0, 1);
  return {.behind = std::sqrt(off / all), .both = std::sqrt((off + off_back) / (all + all_back))};
}

// What the rank of the Hankel matrix says, "" where it is that of a finite order.
std::string rank_fault(const KernelCertificate::Rank& rank, Index size) {
  if (rank.rank == 0) return "A is zero at every lag";
  if (2 * rank.rank <= size && clear_gap(rank)) return "";
  return fmt::format(
      "its block Hankel matrix has rank {} of {} with a gap of {:.2g} at tolerance {:.2g}: no "
      "finite C exp(lag X) B in sight",
      rank.rank, size, rank.gap, rank.tolerance);
}

// Completes the search with the system that the samples gave; its Z is known to `uncertain`.
void settle(const Discrete& system, const LagMeans& means, double step, double uncertain,
            const ClassifyOptions& options, RealisationSearch& result) {
  const std::optional<Matrix> x = generator_of_shift(system.z, step, uncertain);
  if (!x) {
    result.reason = fmt::format(
        "A(lag) = C Z^lag B of order {} at whole steps, but Z is singular or has a negative "
        "eigenvalue that is not paired: no real logarithm X",
        result.rank);
    return;
  }
  const Residuals off = residuals(system, means, step);
  if (!(off.behind <= uncertain)) {
    result.reason =
        fmt::format("C exp(lag X) B of order {} misses it by {:.2g}", result.rank, off.behind);
    return;
  }
  if (!(off.both <= uncertain)) {
    result.one_sided = true;
    result.reason = fmt::format(
        "for lags >= 0 alone it is C exp(lag X) B of order {}, for both signs it is not (residual "
        "{:.2g})",
        result.rank, off.both);
    return;
  }
  ClassifyOptions of_x = options;
  const double norm = as_eigen(*x).norm() * step;
  of_x.noise = std::max(options.noise, std::min(uncertain / std::max(norm, uncertain), 0.1));
  result.found = Realisation{.c = to_matrix(system.c),
                             .x = *x,
                             .b = to_matrix(system.b),
                             .residual = off.both,
                             .generator = classify_generator(*x, of_x)};
  result.reason =
      fmt::format("it is C exp(lag X) B of order {} (residual {:.2g})", result.rank, off.both);
}

}  // namespace

RealisationSearch realise(const LagMeans& means, double step, const ClassifyOptions& options) {
  RealisationSearch result;
  const std::vector<const LagMean*> run = run_from_zero(means, step);
  const auto count = static_cast<Index>(run.size());
  if (count < 4) {
    result.reason = fmt::format("{} lags from 0 on are too few to look for C exp(lag X) B", count);
    return result;
  }
  const Index height = run.front()->mean.rows(), width = run.front()->mean.cols();
  if (std::max(height, width) > kMostRows) {
    result.reason =
        fmt::format("maps wider than {} are not searched for C exp(lag X) B", kMostRows);
    return result;
  }
  const Index rows = std::clamp<Index>(kMostRows / height, 2, count / 2);
  const Index cols = std::clamp<Index>(kMostRows / width, 2, count - rows);
  const DenseSvd svd = dense_svd(hankel(run, rows, cols, 0));
  const Eigen::VectorXd& values = svd.values;
  const double allowed = allowance(options.noise, values.size());
  const KernelCertificate::Rank rank = numerical_rank(values, allowed);
  result.rank = rank.rank;
  // Coordinates that A does not use lengthen the Hankel matrix without evidence.
  const auto used = [&](const EigenMatrix& line) {
    return numerical_rank(dense_svd(line).values, allowed).rank;
  };
  const Index size =
      std::min(rows * used(hankel(run, 1, cols, 0)), cols * used(hankel(run, rows, 1, 0)));
  result.reason = rank_fault(rank, size);
  if (!result.reason.empty()) return result;
  // Errors of Z are those of the Hankel matrix over its least singular value that counts.
  const double uncertain = std::min(0.1, allowed * values(0) / values(rank.rank - 1));
  settle(balanced(svd, rank.rank, hankel(run, rows, cols, 1), height, width), means, step,
         uncertain, options, result);
  return result;
}

}  // namespace sextant
