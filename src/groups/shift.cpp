// SPDX-License-Identifier: Apache-2.0
#include "groups/shift.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "math/complex_schur.h"
#include "math/dense_svd.h"
#include "math/matrix_logarithm.h"

namespace sextant {
namespace {

constexpr double kNoiseMargin = 30.0;
constexpr double kRounding = 1e-13;

}  // namespace

double allowance(double noise, Index dim) {
  return std::max(kNoiseMargin * noise, kRounding * std::sqrt(static_cast<double>(dim)));
}

ShiftSpectrum shift_spectrum(const EigenMatrix& z, double tolerance) {
  const ComplexSchur schur(to_matrix(z));
  double largest = 0.0;
  for (Index i = 0; i < schur.dim(); ++i)
    largest = std::max(largest, std::abs(schur.eigenvalue(i)));
  // A nilpotent Z has eigenvalues far above its rounding errors, so that they do not tell.
  ShiftSpectrum result{.singular = dense_svd(z).reciprocal_condition() <= tolerance,
                       .nearest = std::numbers::pi};
  for (Index i = 0; i < schur.dim(); ++i) {
    const Complex value = schur.eigenvalue(i);
    const double from_pi = std::numbers::pi - std::abs(std::arg(value));
    const bool negative =
        value.real() < -tolerance * largest && std::abs(value.imag()) <= tolerance * largest;
    if (negative)
      ++result.negative;
    else
      result.nearest = std::min(result.nearest, from_pi);
  }
  return result;
}

std::optional<Matrix> generator_of_shift(const EigenMatrix& z, double step, double tolerance) {
  const ShiftSpectrum spectrum = shift_spectrum(z, tolerance);
  if (spectrum.negative > 0 || spectrum.singular) return std::nullopt;
  Matrix x = matrix_logarithm(to_matrix(z));
  as_eigen(x) /= step;
  return x;
}

KernelCertificate::Rank numerical_rank(const Eigen::VectorXd& singular_values, double tolerance) {
  KernelCertificate::Rank result{.tolerance = tolerance,
                                 .gap = std::numeric_limits<double>::infinity()};
  const double least = tolerance * (singular_values.size() > 0 ? singular_values(0) : 0.0);
  while (result.rank < singular_values.size() && singular_values(result.rank) > least)
    ++result.rank;
  if (result.rank > 0 && result.rank < singular_values.size())
    result.gap = singular_values(result.rank - 1) / singular_values(result.rank);
  return result;
}

bool clear_gap(const KernelCertificate::Rank& rank) {
  return rank.gap >= std::clamp(1.0 / std::sqrt(rank.tolerance), 10.0, 1e3);
}

}  // namespace sextant
