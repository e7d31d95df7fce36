// SPDX-License-Identifier: Apache-2.0
// Which (sequence, position) pairs a transformer cannot tell apart, by the symmetries that its
// encoding leaves.
#pragma once

#include <string>
#include <vector>

#include "sextant/transformer.h"

namespace sextant {

// How much the sites change when positions 0..n-1 are read backwards: rows and pair forms, largest
// entry. 0: the encoding is even.
double odd_part(const Effects& effects, const TransformerShape& shape, Index n);

// Whether no site is filled: an encoding that tells attention nothing.
bool acts_nowhere(const Effects& effects);

struct ResidualSymmetry {
  bool permutations = false;  // no site acts: only the content counts
  bool constants = false;     // logits alone: constant sequences give constant outputs
  bool reversal = false;      // even forms, no mask
  bool prefixes = false;      // causal: what follows does not count

  // Of an encoding at n positions; the mask is that of the shape.
  static ResidualSymmetry of(const Effects& effects, const TransformerShape& shape, Index n);

  // Equal for pairs of one orbit: outputs at position t of x are equal. Symbols are single
  // characters. REQUIRES: 0 <= t < x.size().
  std::string orbit(const std::string& x, std::size_t t) const;
};

}  // namespace sextant
