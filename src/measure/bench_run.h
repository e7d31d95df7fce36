// SPDX-License-Identifier: Apache-2.0
// One case from its answer to its times, and what its goals say of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/bench_case.h"
#include "measure/timing.h"
#include "sextant/error.h"

namespace sextant {

struct BenchOptions {
  BenchSize size = {};
  Index repeats = 9;
  Clock clock = wall_seconds;
  std::optional<std::uint64_t> memory =
      {};  // bytes to use at most; nothing: the system does not say
};

// Seconds of one run.
struct RivalTime {
  std::string name = {};
  double shortest = 0.0, median = 0.0;
};

// One library of Python at the same work: a time, or why there is none.
struct PeerTime {
  std::string library = {};
  std::optional<double> shortest = {}, median = {};
  std::string error = {};
};

struct BenchRow {
  const BenchCase* measured = nullptr;
  std::string size = {};
  double amount = 0.0;
  std::string unit = {};
  // Why nothing was timed; empty: the answer is right and everything below is there.
  std::string error = {};
  ErrorCode error_code = ErrorCode::kNumeric;

  RivalTime ours = {};
  std::vector<RivalTime> rivals = {};  // the plain loop, then the others
  Index repeats = 0;
  std::optional<PeerTask> peer = {};
  std::vector<PeerTime> peers = {};

  double per_second() const { return amount / ours.shortest; }
};

// Checks the answer, then times it in turns with its rivals: one run of each after the other, again
// and again. Work that is short against the steps of the clock is run many times for one time. What
// goes wrong is a row with an error: a wrong answer (kNumeric), too little memory or a clock that
// is too coarse (kRefused), and what the case throws.
BenchRow bench_row(const BenchCase& measured, const BenchOptions& options);

// Speed over that of a rival or library, both by their shortest times; nothing where that was not
// timed.
std::optional<double> speed_over(const BenchRow& row, std::string_view rival);

// What a row says of a goal.
struct GoalVerdict {
  std::optional<double> value = {};  // what `least` is compared with
  std::optional<bool> met = {};      // nothing: not judged
  std::string reason = {};           // why it is not judged
};
GoalVerdict judged(const BenchRow& row, const SpeedGoal& goal, const BenchSize& size);

// 0, or the exit status of a wrong answer, or of the first other error.
int bench_status(std::span<const BenchRow> rows);

}  // namespace sextant
