// SPDX-License-Identifier: Apache-2.0
// Programs side by side, without a shell: their lines as they come, and how each of them ended.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/matrix.h"

namespace sextant {

inline constexpr int kUnknownStatus = -1;

struct ProcessEnd {
  // Of exit(); 127 where the program could not be started; kUnknownStatus where other code of this
  // process has waited for it.
  int status = 0;
  int signal = 0;         // that killed it, or 0
  std::string last_line;  // of stderr that is not empty, or why the program could not be started

  bool ok() const { return status == 0 && signal == 0; }
  // "exit status 3: sextant-lab: error: ...", "killed by signal 9 (Killed)".
  std::string reason() const;
};

struct PoolOptions {
  Index at_once = 1;
  // When it becomes true, no program is started any more, those that run get SIGTERM once, and
  // their end is waited for.
  const std::atomic<bool>* stop = nullptr;
  // Of program i: a line of stdout without its end, cut at kMostLine bytes.
  std::function<void(std::size_t i, std::string_view line)> on_line = [](std::size_t,
                                                                         std::string_view) {};
  std::function<void(std::size_t i, const ProcessEnd& end)> on_end = [](std::size_t,
                                                                        const ProcessEnd&) {};
};

inline constexpr std::size_t kMostLine = std::size_t{1} << 16;

// Runs each command: the path of a program and its arguments. Commands start in their order, with
// an empty stdin, in a process group of their own: Ctrl-C reaches them through `stop` alone. They
// get SIGTERM when the thread that called this ends before them. Callbacks run on that thread; when
// one throws, all programs are killed. However this function ends, none runs or is a zombie after
// it. Nothing for a command that `stop` kept from starting. SIGCHLD has its default action while
// this function runs, and then again the one it had. Throws kInternal where the system has no pipe
// or process left.
std::vector<std::optional<ProcessEnd>> run_processes(
    std::span<const std::vector<std::string>> commands, const PoolOptions& options);

}  // namespace sextant
