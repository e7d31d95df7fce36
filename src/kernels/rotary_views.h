// SPDX-License-Identifier: Apache-2.0
// What the kernels ask of their arguments.
#pragma once

#include "sextant/rotary.h"

namespace sextant {

// Throws kUsage naming the first argument that breaks the contract of apply_to_queries. False where
// there is nothing to do.
bool check_views(const Turns& turns, const HeadsView& in, const HeadsView& out,
                 const ApplyOptions& options);

}  // namespace sextant
