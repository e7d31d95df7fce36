// SPDX-License-Identifier: Apache-2.0
// exp, log, powers, cosine and sine in double-double, from additions and multiplications only.
//
// The C library's versions differ between machines in the last place (it picks FMA variants at
// run time). These give the same bits everywhere, which is why every encoding uses them.
#pragma once

#include "math/double_double.h"
#include "sextant/matrix.h"

namespace sextant {

// Relative error below 2^-100. exp overflows to infinity and underflows to 0 as std::exp does.
DoubleDouble exp(DoubleDouble x);

// Natural logarithm, absolute error below 2^-100 (1 + |log x|); NaN unless x is positive and
// finite.
DoubleDouble log(DoubleDouble x);

// base^(numerator/denominator), relative error below 2^-101, however large the logarithm:
// the exponent is reduced before it is rounded. REQUIRES: base > 0, denominator > 0.
DoubleDouble rational_power(DoubleDouble base, Index numerator, Index denominator);

// base^exponent. REQUIRES: base > 0.
DoubleDouble power(DoubleDouble base, DoubleDouble exponent);

DoubleDouble square_root(DoubleDouble x);

inline constexpr double kLargestAngle = 0x1p42;

struct CosSin {
  DoubleDouble cos, sin;
};

// Relative error below 2^-95 plus 2^-104 |angle| absolute. cos is even and sin odd, bit for bit;
// cos_sin(0) is exactly (1, 0); |cos| and |sin| never exceed 1. REQUIRES: |angle| < kLargestAngle.
CosSin cos_sin(DoubleDouble angle);

// cos and sin of t * frequency. The product is formed in double-double. Throws kUsage where it
// reaches kLargestAngle: nothing larger means anything in double.
CosSin cos_sin(double t, DoubleDouble frequency);

}  // namespace sextant
