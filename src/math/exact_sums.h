// SPDX-License-Identifier: Apache-2.0
// Sums with the same bits in any order: over threads, over ranks.
//
// After Demmel and Nguyen, "Fast reproducible floating-point summation" (ARITH 2013): every term is
// cut at two fixed places, and the pieces above and below the first are added up separately. With
// the places chosen by a bound of the sum, both sums are exact; only their sum rounds.
#pragma once

#include <algorithm>
#include <cmath>

#include "sextant/matrix.h"

namespace sextant {

// Adding and subtracting a constant rounds to a multiple of 2^(exponent - 52). REQUIRES: |x| at
// most 2^(exponent - 1).
struct Cut {
  double constant;

  explicit Cut(int exponent) : constant(std::ldexp(1.5, exponent)) {}
  double operator()(double x) const { return (x + constant) - constant; }
};

// The cuts for sums of at most `terms` terms with sum |term| <= bound: high(term), and low() of
// what is left of it.
struct SumCuts {
  Cut high, low;

  SumCuts(double bound, Index terms)
      : high(exponent_of(bound)),
        low(exponent_of(bound) - 52 + std::ilogb(static_cast<double>(terms)) + 1) {}

 private:
  static int exponent_of(double bound) { return std::ilogb(std::max(bound, 1e-290)) + 2; }
};

}  // namespace sextant
