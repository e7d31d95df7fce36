// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "groups/clusters.h"
#include "sextant/classify.h"

namespace sextant {

struct Families {
  std::vector<BlockFamily> blocks;  // by frequency, decay, size
  double backward_error = 0.0;      // relative
  bool unresolved = false;  // noise moves an eigenvalue past its neighbour, and they are not one
};

// The blocks of clusters of X / norm. A real part that a perturbation by 10 * noise, to first
// order, moves to zero is zero, unless a neighbour is nearer than the axis.
Families families_of(ComplexSchur& schur, const Vector& conditions,
                     const std::vector<Cluster>& clusters, double noise, double norm);

// Whether both have the same kinds of blocks, sizes and counts, whatever the numbers in them.
bool same_label(const std::vector<BlockFamily>& a, const std::vector<BlockFamily>& b);

// exp(lag X) in plain text, up to the basis: "e^(-0.1 lag) R(0.5 lag) [1, lag; 0, 1] (+) 1 (x2)".
std::string closed_form(std::span<const BlockFamily> families);

}  // namespace sextant
