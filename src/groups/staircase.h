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

// By unitary deflation of null spaces. None where that takes more than `tolerance`, or where the
// Weyr numbers rise, which they do for no nilpotent matrix.
std::optional<Staircase> nilpotent_staircase(Eigen::MatrixXcd b, double tolerance);

}  // namespace sextant
