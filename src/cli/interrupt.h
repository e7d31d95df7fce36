// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and kill: the first asks long work to stop at the next good place, the second ends at
// once.
#pragma once

#include <atomic>

namespace sextant::cli {

inline constexpr int kStoppedBySignal = 8;  // exit status

// Set by SIGINT or SIGTERM. The first call installs the handlers.
const std::atomic<bool>& stop_requested();

}  // namespace sextant::cli
