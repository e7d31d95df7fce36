// SPDX-License-Identifier: Apache-2.0
// What an encoding looks like as a function of the lag: the picture on its page.
#pragma once

#include <string>
#include <vector>

#include "report/plot.h"
#include "sextant/encoding.h"

namespace sextant::cli {

struct KernelCurve {
  std::string shows;  // what the numbers are
  std::vector<PlotSeries> series;
};

// One curve per site that the encoding uses, against lag = s - t. The query stands in the middle
// of 2 reach + 1 positions, or at the end of reach + 1 where a causal mask is needed.
//   input       cosine of p_s and p_t
//   query/key   trace A(lag) / dim: the mean logit of a random unit vector q = k
//   logit       b(s, t) of the first, the middle and the last head
//   key offset  |u(s, t)| of the same heads
// Throws kUsage where dim or heads do not fit.
std::vector<KernelCurve> kernel_curves(const Encoding& encoding, Index dim, Index heads,
                                       Index reach);

}  // namespace sextant::cli
