// SPDX-License-Identifier: Apache-2.0
// Empirical Rademacher complexity R = E sup_f (1/m) sum_i sigma_i f(x_i), signs sigma uniform, of
// two classes of functions on given points: one that norms bound and one that they do not.
#pragma once

#include <cstdint>

#include "sextant/matrix.h"

namespace sextant {

struct RademacherEstimate {
  double value = 0.0;
  double half_width = 0.0;  // of the 95 % interval; 0 where all signs were tried
  // (1/m) (sum |x_i|^2)^(1/2), which is at most sqrt(2) times the complexity and at least it.
  double root_mean_square = 0.0;
  // (1/m) sum |x_i|: what R cannot exceed whatever the signs are.
  double trivial = 0.0;
};

// Of x -> <w, x>, |w| <= 1, on the rows: E |sum sigma_i x_i| / m. All signs for up to
// kMostExactSigns rows, else a mean over draws, fewer for large tables.
inline constexpr Index kMostExactSigns = 12;
RademacherEstimate linear_rademacher(const Matrix& rows, std::uint64_t seed);

// At most that of all f with |f(x) - f(y)| <= |x - y| and f(0) = 0. With r_i the smaller of |x_i|
// and half the distance to the nearest other row, f(x_i) = sigma_i r_i extends to such an f for any
// signs (McShane), so that R >= (1/m) sum r_i. Cost O(m^2 d).
double lipschitz_rademacher_floor(const Matrix& rows);

}  // namespace sextant
