// SPDX-License-Identifier: Apache-2.0
// Long work without the lock of Python, which Ctrl-C ends.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <future>

namespace sextant::python {

// work(stop) on a thread of its own. Signals reach Python on the thread that called: it looks for
// them now and then, and when one raises, sets `stop`, waits for the work to end and raises.
template <typename Work>
auto interruptible(const Work& work) {
  constexpr std::chrono::milliseconds kPatience(50);
  std::atomic<bool> stop = false;
  auto result = std::async(std::launch::async, [&] { return work(stop); });
  bool interrupted = false;
  {
    const pybind11::gil_scoped_release released;
    while (result.wait_for(kPatience) != std::future_status::ready) {
      const pybind11::gil_scoped_acquire held;
      if (!interrupted && PyErr_CheckSignals() != 0) stop = interrupted = true;
    }
  }
  if (interrupted) throw pybind11::error_already_set();
  return result.get();
}

}  // namespace sextant::python
