// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

// The nilpotent matrix near a matrix B: weyr[k] of its Jordan chains have more than k links.
struct Staircase {
  std::vector<Index> weyr;
  double error = 0.0;  // Frobenius norm of what was set to zero
};

// By unitary deflation of right or of left null spaces, whichever takes less: neither is the
// nearest nilpotent matrix, but for long chains they differ by much. None where both take more than
// `tolerance`, or where the Weyr numbers rise, which they do for no nilpotent matrix.
std::optional<Staircase> nilpotent_staircase(const Eigen::MatrixXcd& b, double tolerance);

}  // namespace sextant
