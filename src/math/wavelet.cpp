// SPDX-License-Identifier: Apache-2.0
// After Daubechies and Lagarias, Two-scale difference equations II, 1992: with v(x) = (phi(x),
// phi(x+1), ..., phi(x+taps-2)) and the binary digits of x in [0,1), v(x) = T_d1 T_d2 ... v(0).
#include "math/wavelet.h"

#include <Eigen/LU>
#include <cassert>
#include <cmath>
#include <numbers>

#include "math/eigen_map.h"

namespace sextant {
namespace {

// The filter of 8 taps, normalised to sum sqrt 2, as printed in Daubechies, Ten Lectures on
// Wavelets, 1992, table 6.1 (N=4).
constexpr double kEightTaps[] = {0.23037781330885523,  0.71484657055254153,  0.63088076792959036,
                                 -0.02798376941698385, -0.18703481171888114, 0.030841381835986965,
                                 0.032883011666982945, -0.010597401784997278};

Vector filter_of(Index taps) {
  const double root3 = std::numbers::sqrt3;
  if (taps == 4)
    return {(1.0 + root3) / 4.0, (3.0 + root3) / 4.0, (3.0 - root3) / 4.0, (1.0 - root3) / 4.0};
  Vector filter;
  for (const double h : kEightTaps) filter.push_back(h * std::numbers::sqrt2);
  return filter;
}

// T_0 and T_1: entry (i, j) is c_{2i-j} and c_{2i-j+1}, indices from 0.
EigenMatrix two_scale(const Vector& filter, Index digit) {
  const Index n = static_cast<Index>(filter.size()) - 1;
  EigenMatrix t = EigenMatrix::Zero(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const Index k = 2 * i - j + digit;
      if (k >= 0 && k <= n) t(i, j) = filter[static_cast<std::size_t>(k)];
    }
  }
  return t;
}

// The eigenvector of T_0 at eigenvalue 1 with sum 1: one equation is replaced by the sum.
Vector values_at_integers(const Vector& filter) {
  const Index n = static_cast<Index>(filter.size()) - 1;
  EigenMatrix system = two_scale(filter, 0) - EigenMatrix::Identity(n, n);
  system.row(n - 1).setOnes();
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n);
  right(n - 1) = 1.0;
  const Eigen::VectorXd solution = system.fullPivLu().solve(right);
  return {solution.begin(), solution.end()};
}

}  // namespace

DaubechiesWavelet::DaubechiesWavelet(Index taps) : filter_(filter_of(taps)) {
  assert(taps == 4 || taps == 8);
  at_integers_ = values_at_integers(filter_);
  at_integers_[0] = 0.0;  // phi is continuous and vanishes at the ends of its support
}

double DaubechiesWavelet::phi(double x) const {
  if (!(x > 0.0 && x < static_cast<double>(taps() - 1))) return 0.0;
  const double whole = std::floor(x);
  // Row `whole` of T_d1 T_d2 ... applied to v(0): a row vector moves through the digits.
  Vector row(at_integers_.size());
  row[static_cast<std::size_t>(whole)] = 1.0;
  for (double rest = x - whole; rest != 0.0;) {
    rest *= 2.0;
    const Index digit = rest >= 1.0 ? 1 : 0;
    rest -= static_cast<double>(digit);
    Vector next(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] == 0.0) continue;
      for (std::size_t j = 0; j < row.size(); ++j) {
        const Index k = 2 * static_cast<Index>(i) - static_cast<Index>(j) + digit;
        if (k >= 0 && k < taps()) next[j] += row[i] * filter_[static_cast<std::size_t>(k)];
      }
    }
    row = std::move(next);
  }
  return as_eigen(std::span<const double>(row)).dot(as_eigen(std::span(at_integers_)));
}

double DaubechiesWavelet::psi(double x) const {
  double sum = 0.0;
  for (Index k = 0; k < taps(); ++k) {
    const double sign = k % 2 == 0 ? 1.0 : -1.0;
    sum += sign * filter_[static_cast<std::size_t>(taps() - 1 - k)] *
           phi(2.0 * x - static_cast<double>(k));
  }
  return sum;
}

}  // namespace sextant
