// SPDX-License-Identifier: Apache-2.0
// How far long work has come, on stderr: a bar with rate and time to go on a terminal, a line every
// ten seconds elsewhere, nothing with --quiet.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "cli/verb.h"

namespace sextant::cli {

class Progress {
 public:
  explicit Progress(const Globals& globals);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // A new piece of work begins: "reading", "distances between positions".
  void stage(std::string_view name);
  // `done` of `total` bytes (0: unknown), and what else to say. Any thread.
  void update(std::uint64_t done, std::uint64_t total, std::string_view detail);
  // The part of the work that is done, 0 to 1, and what else to say. Any thread.
  void part(double done, std::string_view detail = {});
  // Wipes the bar.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void show(const std::string& line);
  // line(seconds since the stage began), unless one was shown a moment ago.
  void show_now_and_then(const std::function<std::string(double)>& line);

  bool quiet_, terminal_;
  std::mutex mutex_;
  std::string stage_;
  Clock::time_point started_, shown_;
  bool drawn_ = false;
};

// "reading [#####.....] 45 %  12.3 MB/s  0:07 to go  11,250 sequences", or without the rate where
// `bytes` are not what is counted. `columns` is the width of the terminal.
std::string progress_line(std::string_view stage, std::uint64_t done, std::uint64_t total,
                          double seconds, std::string_view detail, int columns, bool bytes = true);

}  // namespace sextant::cli
