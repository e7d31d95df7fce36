// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <functional>
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
//
// A step on n rows costs n^3, and one chain takes as many steps as it has links. Before each step
// `charge` gets its cost and the least that follows if no step fails; it may throw.
std::optional<Staircase> nilpotent_staircase(
    const Eigen::MatrixXcd& b, double tolerance,
    const std::function<void(double step, double ahead)>& charge = {});

}  // namespace sextant
