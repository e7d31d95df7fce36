// SPDX-License-Identifier: Apache-2.0
// The shift by one step, Z = exp(step X), and what its eigenvalues allow to be said of X.
#pragma once

#include <optional>
#include <vector>

#include "math/eigen_map.h"
#include "sextant/classify.h"

namespace sextant {

// What stands between Z and a real logarithm.
struct ShiftSpectrum {
  // A real negative eigenvalue, a sign per step: how often it occurs, in how many Jordan chains.
  struct Negative {
    double value = 0.0;
    Index count = 0, chains = 0;
  };
  std::vector<Negative> negative = {};
  bool singular = false;  // to the tolerance, by the reciprocal condition of Z
  double nearest = 0.0;   // the least distance of an argument from pi, of those not negative

  // False where a negative eigenvalue has an odd number of chains or links: two equal chains are
  // half a turn of a plane, one is the half of none (Culver 1966).
  bool pairs_up() const;
};
// Eigenvalues within `tolerance` of the negative real axis, relative, are on it, and those as near
// to each other are equal.
ShiftSpectrum shift_spectrum(const EigenMatrix& z, double tolerance);

// log Z / step, of frequencies up to pi / step; at that frequency where a negative eigenvalue
// occurs an even number of times without chains. Nothing where Z is singular and for every other
// negative eigenvalue.
std::optional<Matrix> generator_of_shift(const EigenMatrix& z, double step, double tolerance);

// How far a relative residual may be from 0: `noise` and rounding, with a margin for the constants
// of the methods.
double allowance(double noise, Index dim);

// How many singular values count: those above `tolerance` times the largest. `gap` is the last
// that counts over the first that does not, infinity where there is none.
KernelCertificate::Rank numerical_rank(const Eigen::VectorXd& singular_values, double tolerance);

// Whether so wide a gap at this tolerance is a step and no slope: smooth kernels of no finite rank
// have singular values that fall by a factor of 10 to 100 each.
bool clear_gap(const KernelCertificate::Rank& rank);

}  // namespace sextant
