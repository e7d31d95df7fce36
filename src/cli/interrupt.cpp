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

void end_at_signals() {
  at_once = true;
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // as nohup wants it
  }
}

EndsAtOnce::EndsAtOnce() {
  at_once = true;
  if (stop.asked()) _exit(kStoppedBySignal);  // it came just before
}

EndsAtOnce::~EndsAtOnce() { at_once = false; }

void request_stop() {
  if (!stop.asked()) on_signal(SIGTERM);  // an echo of our own wish is no second one
}

bool is_asked_to_stop() { return stop.asked(); }

const std::atomic<bool>& stop_requested() {
  at_once = false;
  return stop.asked();
}

}  // namespace sextant::cli
