// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace sextant::cli {
namespace {

std::atomic<bool> stop = false;
std::atomic<bool> at_once = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // a handler may touch it

void on_signal(int) {
  if (stop.exchange(true) || at_once) _exit(kStoppedBySignal);
}

}  // namespace

EndsAtOnce::EndsAtOnce() {
  at_once = true;
  if (stop_requested()) _exit(kStoppedBySignal);  // it came just before
}

EndsAtOnce::~EndsAtOnce() { at_once = false; }

const std::atomic<bool>& stop_requested() {
  static const bool installed = [] {
    struct sigaction action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    return true;
  }();
  (void)installed;
  return stop;
}

}  // namespace sextant::cli
