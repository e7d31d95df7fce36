// SPDX-License-Identifier: Apache-2.0
// classify_generator: scale, triangularise, cluster at three noises, and read the rest off the
// blocks.
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "groups/clusters.h"
#include "groups/conditioning.h"
#include "groups/families.h"
#include "groups/horizon.h"
#include "math/complex_schur.h"
#include "math/eigen_map.h"
#include "sextant/classify.h"

namespace sextant {
namespace {

constexpr const char* kSubject = "generator";

// Parts of the work, as of a dense matrix without structure.
constexpr double kTriangular = 0.5;
constexpr double kConditioned = 0.7;
constexpr double kClustered = 0.85;
constexpr double kBounded = 0.95;

using Progress = std::function<void(double)>;

void check(const Matrix& x, double noise) {
  require(x.rows() == x.cols(), kSubject, "must be square but got {} x {}", x.rows(), x.cols());
  require(x.rows() > 0, kSubject, "must have at least one row but got none");
  require(x.rows() <= kMostGenerator, kSubject, "must be at most {} wide but got {}",
          kMostGenerator, x.rows());
  require(noise >= 0.0 && noise < 1.0, kSubject, "noise must be in [0, 1) but got {}", noise);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      if (!std::isfinite(x(i, j)))
        fail(ErrorCode::kNumeric, kSubject, "must be finite but got {} in row {}, column {}",
             x(i, j), i, j);
}

// X / |X| and |X|, Frobenius, without overflow on the way.
std::pair<Matrix, double> unit_and_norm(const Matrix& x) {
  Matrix unit = x;
  const double largest = as_eigen(x).cwiseAbs().maxCoeff();
  if (largest == 0.0) return {std::move(unit), 0.0};
  as_eigen(unit) /= largest;
  const double rest = as_eigen(unit).norm();
  as_eigen(unit) /= rest;
  if (rest > DBL_MAX / largest)
    fail(ErrorCode::kNumeric, kSubject, "norm must be at most {:.3g} but overflows", DBL_MAX);
  return {std::move(unit), largest * rest};
}

Progress part_of(const Progress& progress, double from, double to) {
  if (!progress) return {};
  return [&progress, from, to](double part) { progress(from + (to - from) * part); };
}

void find_families(const Matrix& unit, double noise, const Progress& progress,
                   GeneratorClass& result) {
  ComplexSchur schur(unit);
  if (progress) progress(kTriangular);
  const Vector conditions = schur.conditions(part_of(progress, kTriangular, kConditioned));
  const double third = (kClustered - kConditioned) / 3.0;
  const auto at = [&](double eta, int run) {
    const double from = kConditioned + third * run;
    const auto clusters =
        find_clusters(schur, conditions, eta, part_of(progress, from, from + third));
    return families_of(schur, conditions, clusters, eta, result.norm);
  };
  Families found = at(noise, 0);
  result.families = std::move(found.blocks);
  result.backward_error = found.backward_error;
  result.ambiguous = found.unresolved;
  int run = 1;
  for (const double factor : {0.1, 10.0}) {
    std::vector<BlockFamily> other = at(factor * noise, run++).blocks;
    if (!same_label(result.families, other))
      result.others.push_back({factor * noise, std::move(other)});
  }
  result.ambiguous = result.ambiguous || !result.others.empty();
}

bool grows(Stability stability) {
  return stability == Stability::kGrowsPolynomially || stability == Stability::kGrowsExponentially;
}

}  // namespace

GeneratorClass classify_generator(const Matrix& x, const ClassifyOptions& options) {
  check(x, options.noise);
  const auto [unit, norm] = unit_and_norm(x);
  GeneratorClass result;
  result.dim = x.rows();
  result.norm = norm;
  result.noise = options.noise;
  // What LAPACK's rounding changes is noise too.
  const double noise = std::max(options.noise, DBL_EPSILON * static_cast<double>(result.dim));
  if (norm == 0.0)
    result.families = {{.count = result.dim}};
  else
    find_families(unit, noise, options.progress, result);
  const auto u = as_eigen(unit);
  result.norm_preserving = (u + u.transpose()).norm() <= 2.0 * noise;
  result.stability = stability_of(result.families, 1.0);
  result.stability_back = stability_of(result.families, -1.0);
  result.needs_causal_mask = grows(result.stability_back);
  result.split_overflow = split_horizon(result.families);
  if (!result.norm_preserving) {
    const Horizons both = horizons(unit, norm, noise, result.families);
    result.overflow = both.overflow;
    result.vanishing = both.vanishing;
  }
  if (options.progress) options.progress(kBounded);
  result.conditioning = conditioning_of(unit, norm);
  result.closed_form = closed_form(result.families);
  if (options.progress) options.progress(1.0);
  return result;
}

}  // namespace sextant
