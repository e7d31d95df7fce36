// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <unistd.h>

#include <csignal>

#include "base/stop_wish.h"

namespace sextant::cli {
namespace {

StopWish stop;
std::atomic<bool> at_once = false;

void on_signal(int) {
  if (stop.again() || at_once) _exit(kStoppedBySignal);
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
  return stop.asked();
}

}  // namespace sextant::cli
