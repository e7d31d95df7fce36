// SPDX-License-Identifier: Apache-2.0
// What the kernels ask of their arguments.
#pragma once

#include "sextant/rotary.h"

namespace sextant {

// Throws kUsage naming the first argument that breaks the contract of apply_to_queries. False where
// there is nothing to do.
bool check_views(const Turns& turns, const HeadsView& in, const HeadsView& out,
                 const ApplyOptions& options);

// True only where no value of one shares memory with a value of the other. Exact for views that
// reach over different memory, and for those of equal strides that nest, such as the parts of
// packed projections; false for others. Strides of axes of one step do not count.
bool views_apart(const HeadsView& a, const HeadsView& b);

}  // namespace sextant
