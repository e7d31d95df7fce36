// SPDX-License-Identifier: Apache-2.0
// How far the kernel between neighbouring positions moves away from that of the first ones.
#pragma once

#include "theory/head_logits.h"

namespace sextant {

// The window is as long as training, up to this: the work is positions * window^2.
inline constexpr Index kMostWindow = 512;

// |K_t - K_0| / |K_0| for every position t, Frobenius, over the window of min(train, kMostWindow)
// positions that ends at t and the first one. K(s, t) are the logits, which should be those of
// content 0; keys behind a query stand for both sides. 0 up to the end of the first window, and
// everywhere where the logits depend on the lag only.
Vector kernel_drift(const HeadLogits& logits, Index train);

}  // namespace sextant
