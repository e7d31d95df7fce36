// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and kill: the first asks long work to stop at the next good place, one that comes a second
// or more after it ends at once.
#pragma once

#include <atomic>

namespace sextant::cli {

inline constexpr int kStoppedBySignal = 8;  // exit status

// Set by SIGINT or SIGTERM. The first call installs the handlers.
const std::atomic<bool>& stop_requested();

// While one lives, a signal ends the program at once with kStoppedBySignal: for long work that has
// nothing to save. REQUIRES: no file is being written meanwhile.
class EndsAtOnce {
 public:
  EndsAtOnce();
  ~EndsAtOnce();
  EndsAtOnce(const EndsAtOnce&) = delete;
  EndsAtOnce& operator=(const EndsAtOnce&) = delete;
};

}  // namespace sextant::cli
