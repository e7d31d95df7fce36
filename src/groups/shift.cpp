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

constexpr double kRounding = 1e-13;

// Runs of negative eigenvalues that are closer than `near`, with the chains that Z has there.
std::vector<ShiftSpectrum::Negative> negatives(const EigenMatrix& z, std::vector<double> values,
                                               double near, double tolerance) {
  std::sort(values.begin(), values.end());
  std::vector<ShiftSpectrum::Negative> result;
  for (std::size_t first = 0, n = 0; n < values.size(); ++n) {
    if (n + 1 < values.size() && values[n + 1] - values[n] <= near) continue;
    const auto count = static_cast<Index>(n + 1 - first);
    double sum = 0.0;
    for (; first <= n; ++first) sum += values[first];
    const double mean = sum / static_cast<double>(count);
    const DenseSvd off = dense_svd(z - mean * EigenMatrix::Identity(z.rows(), z.cols()));
    const Index zeros = (off.values.array() <= tolerance * z.norm()).count();
    result.push_back({.value = mean, .count = count, .chains = std::clamp<Index>(zeros, 1, count)});
  }
  return result;
}

// Half a turn for every two dimensions of an eigenspace, and the projection on it along the others.
struct HalfTurns {
  EigenMatrix projection, turn;
};
HalfTurns half_turns(const EigenMatrix& z, const ShiftSpectrum::Negative& negative) {
  const DenseSvd off = dense_svd(z - negative.value * EigenMatrix::Identity(z.rows(), z.cols()));
  const EigenMatrix right = off.v.rightCols(negative.count);
  const EigenMatrix left = off.u.rightCols(negative.count).transpose();
  const EigenMatrix dual = dense_svd(left * right).solve(left);
  EigenMatrix quarter = EigenMatrix::Zero(negative.count, negative.count);
  for (Index i = 0; i < negative.count; i += 2) {
    quarter(i, i + 1) = -std::numbers::pi;
    quarter(i + 1, i) = std::numbers::pi;
  }
  return {.projection = right * dual, .turn = right * quarter * dual};
}

}  // namespace

double allowance(double noise, Index dim) {
  return std::max(kNoiseFactor * noise, kRounding * std::sqrt(static_cast<double>(dim)));
}

ShiftSpectrum shift_spectrum(const EigenMatrix& z, double tolerance) {
  const ComplexSchur schur(to_matrix(z));
  double largest = 0.0;
  for (Index i = 0; i < schur.dim(); ++i)
    largest = std::max(largest, std::abs(schur.eigenvalue(i)));
  // A nilpotent Z has eigenvalues far above its rounding errors, so that they do not tell.
  ShiftSpectrum result{.singular = dense_svd(z).reciprocal_condition() <= tolerance,
                       .nearest = std::numbers::pi};
  std::vector<double> on_axis;
  for (Index i = 0; i < schur.dim(); ++i) {
    const Complex value = schur.eigenvalue(i);
    const double from_pi = std::numbers::pi - std::abs(std::arg(value));
    const bool negative =
        value.real() < -tolerance * largest && std::abs(value.imag()) <= tolerance * largest;
    if (negative)
      on_axis.push_back(value.real());
    else
      result.nearest = std::min(result.nearest, from_pi);
  }
  if (!result.singular)
    result.negative = negatives(z, std::move(on_axis), tolerance * largest, tolerance);
  return result;
}

bool ShiftSpectrum::pairs_up() const {
  return std::all_of(negative.begin(), negative.end(),
                     [](const Negative& one) { return one.count % 2 == 0 && one.chains % 2 == 0; });
}

std::optional<Matrix> generator_of_shift(const EigenMatrix& z, double step, double tolerance) {
  const ShiftSpectrum spectrum = shift_spectrum(z, tolerance);
  if (spectrum.singular || !spectrum.pairs_up()) return std::nullopt;
  EigenMatrix positive = z, turns = EigenMatrix::Zero(z.rows(), z.cols());
  for (const ShiftSpectrum::Negative& one : spectrum.negative) {
    if (one.chains < one.count) return std::nullopt;
    const HalfTurns half = half_turns(z, one);
    positive -= 2.0 * one.value * half.projection;
    turns += half.turn;
  }
  Matrix x = matrix_logarithm(to_matrix(positive));
  as_eigen(x) = ((as_eigen(x) + turns) / step).eval();
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
