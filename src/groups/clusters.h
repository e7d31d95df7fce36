// SPDX-License-Identifier: Apache-2.0
// Which eigenvalues are one multiple eigenvalue that noise has split.
#pragma once

#include <functional>
#include <vector>

#include "math/complex_schur.h"
#include "sextant/classify.h"

namespace sextant {

struct Cluster {
  // Numbers of eigenvalues. Of a complex cluster those above the real axis; its mirror image is
  // understood. A real cluster holds the conjugates of its members too.
  std::vector<Index> members;
  std::vector<Index> weyr;
  Complex mean;
  double error = 0.0;  // to make it one eigenvalue with these Weyr numbers, Frobenius

  bool real() const { return mean.imag() == 0.0; }
};

// The clusters of a matrix with Frobenius norm 1. Starts from single eigenvalues and joins the
// nearest as long as the joint set is within kNoiseFactor * noise of one eigenvalue: pairs first,
// then larger sets, since a chain of m links splits into m points on a circle of which no two pass
// alone. `conditions` are those of the single eigenvalues.
std::vector<Cluster> find_clusters(ComplexSchur& schur, const Vector& conditions, double noise,
                                   const std::function<void(double)>& progress);

}  // namespace sextant
