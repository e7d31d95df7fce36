// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and kill: the first asks long work to stop at the next good place, one that comes a second
// or more after it ends at once.
#pragma once

#include <atomic>

namespace sextant::cli {

inline constexpr int kStoppedBySignal = 8;  // exit status

// For the first line of main(): from here on a signal ends the program at once with
// kStoppedBySignal, since nothing is there to save yet.
void end_at_signals();

// Set by SIGINT or SIGTERM. From this call on they end the work in order: who calls it looks at it.
const std::atomic<bool>& stop_requested();
bool is_asked_to_stop();  // changes nothing

// As SIGTERM would: another process of this job was asked to stop.
void request_stop();

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
