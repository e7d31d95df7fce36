// SPDX-License-Identifier: Apache-2.0
#include "theory/profile_cost.h"

#include <algorithm>

#include "math/memory_plan.h"
#include "sextant/profile.h"
#include "theory/kernel_drift.h"

namespace sextant {
namespace {

// Products of matrices in one exponential of a matrix, and in finding its place in the span.
constexpr double kProductsOfExponential = 30.0;

}  // namespace

ProfileCost profile_cost(const Sites& sites, const Extent& extent, Index train, bool dense) {
  const auto m = static_cast<double>(extent.positions), d = static_cast<double>(extent.dim);
  const double rows = sites.input ? d : 0.0;
  const double columns = rows + (sites.query_key ? d : 0.0) +
                         (sites.logit ? static_cast<double>(extent.heads) : 0.0) +
                         (sites.key_offset ? 2.0 * d + 1.0 : 0.0);
  // The points, tokens with and without content, and the band of the kernel.
  double numbers = m * (columns + 2.0 * rows);
  if (sites.input) numbers += m * static_cast<double>(std::min(train, kMostWindow));
  // Distances of all pairs; their logits, through an operator for each lag where there is one.
  double work = m * m * (columns + rows);
  if (sites.input && sites.query_key) {
    numbers += m * d;
    work += m * m * d * d;
  }
  if (dense) {
    numbers += d * d * d;
    work += kProductsOfExponential * m * d * d * d;
  }
  return {.bytes = 8.0 * numbers, .work = work};
}

void refuse_beyond_means(std::string_view encoding, const ProfileCost& cost, const Extent& extent,
                         Index at_once) {
  if (cost.work > kMostProfileWork)
    fail(ErrorCode::kRefused, encoding,
         "{} positions of width {} take about {:.0e} operations, more than {:.0e}; lower --to or "
         "--dim",
         extent.positions, extent.dim, cost.work, kMostProfileWork);
  const double bytes = cost.bytes * static_cast<double>(at_once);
  constexpr double kSmall = 64e6;  // not worth a look at the system's figures
  if (bytes > kSmall && !fits_into_memory(bytes))
    fail(ErrorCode::kRefused, encoding,
         "{} positions of width {} take {:.1f} GB in {} threads, more than there is; lower --to, "
         "--dim or --threads",
         extent.positions, extent.dim, bytes / 1e9, at_once);
}

}  // namespace sextant
