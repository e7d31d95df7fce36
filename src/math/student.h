// SPDX-License-Identifier: Apache-2.0
// Student's t distribution, for means of a few runs.
#pragma once

namespace sextant {

// I_x(a, b), the regularised incomplete beta function, for a, b > 0 and x in [0, 1]. `rest` is
// 1 - x, which the caller often knows without cancellation. Relative error about 1e-14.
double incomplete_beta(double a, double b, double x, double rest);

// P(|T| >= |t|) with `freedom` > 0 degrees of freedom; infinite t: 0.
double student_two_sided(double t, double freedom);

// The t with P(|T| >= t) = p, for 0 < p < 1: half the width of an interval, in standard errors.
double student_quantile(double p, double freedom);

}  // namespace sextant
