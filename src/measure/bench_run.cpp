// SPDX-License-Identifier: Apache-2.0
#include "measure/bench_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "base/check.h"

namespace sextant {
namespace {

constexpr double kShareOfMemory = 0.8;
constexpr double kStepsOfClock = 1000.0;  // in one time: it is right to a thousandth
constexpr double kLeastSeconds = 2e-4;    // the same for interrupts of the system
constexpr Index kMostCalls = Index{1} << 24;

// The smallest step of the clock that a million readings show.
double clock_step(Clock clock) {
  constexpr int kReadings = 1'000'000, kSteps = 100;
  double least = std::numeric_limits<double>::infinity();
  double before = clock();
  for (int i = 0, steps = 0; i < kReadings && steps < kSteps; ++i) {
    const double now = clock();
    if (now <= before) continue;
    least = std::min(least, now - before);
    before = now;
    ++steps;
  }
  if (!std::isfinite(least))
    fail(ErrorCode::kRefused, "bench", "the clock of this computer does not advance");
  return least;
}

// A rival with its number of runs for one time. Finding that number gives the first time.
class Racer {
 public:
  Racer(Rival rival, double least_seconds, Clock clock) : rival_(std::move(rival)), clock_(clock) {
    double seconds = run();
    while (seconds < least_seconds) {
      calls_ *= 2;
      if (calls_ > kMostCalls)
        fail(ErrorCode::kRefused, "bench",
             "the clock is too coarse: {} runs of '{}' last less than {:.3g} s", kMostCalls,
             rival_.name, least_seconds);
      seconds = run();
    }
    times_.keep(seconds / static_cast<double>(calls_));
  }

  void measure() { times_.keep(run() / static_cast<double>(calls_)); }
  RivalTime result() const { return {rival_.name, times_.shortest(), times_.median()}; }

 private:
  double run() const {
    Times once;
    return once.measure(
        [this] {
          for (Index i = 0; i < calls_; ++i) {
            rival_.run();
            keep_memory();
          }
        },
        clock_);
  }

  Rival rival_;
  Clock clock_;
  Index calls_ = 1;
  Times times_;
};

void time_in_turns(const BenchWork& work, const BenchOptions& options, BenchRow& row) {
  const double least = std::max(kLeastSeconds, kStepsOfClock * clock_step(options.clock));
  std::vector<Racer> racers;
  racers.reserve(work.others.size() + 2);
  racers.emplace_back(Rival{"ours", work.run}, least, options.clock);
  racers.emplace_back(work.plain, least, options.clock);
  for (const Rival& other : work.others) racers.emplace_back(other, least, options.clock);
  row.repeats = std::min(options.repeats, work.most_repeats);
  for (Index i = 1; i < row.repeats; ++i)
    for (Racer& racer : racers) racer.measure();
  row.ours = racers.front().result();
  for (std::size_t i = 1; i < racers.size(); ++i) row.rivals.push_back(racers[i].result());
}

void check_memory(const BenchCase& measured, const BenchOptions& options) {
  if (!options.memory) return;
  const double needed = measured.bytes(options.size);
  const double available = kShareOfMemory * static_cast<double>(*options.memory);
  if (needed <= available) return;
  fail(ErrorCode::kRefused, measured.name, "needs {:.1f} MB of memory, have {:.1f} MB{}",
       needed * 1e-6, available * 1e-6, options.size.quick ? "" : "; --quick needs less");
}

void fill_row(const BenchOptions& options, BenchRow& row) {
  check_memory(*row.measured, options);
  BenchWork work = row.measured->prepare(options.size);
  row.size = work.size;
  row.amount = work.amount;
  row.unit = work.unit;
  work.run();
  const std::string fault = work.fault();
  if (!fault.empty())
    fail(ErrorCode::kNumeric, row.measured->name, "wrong answer, not timed: {}", fault);
  time_in_turns(work, options, row);
  row.peer = std::move(work.peer);
}

}  // namespace

BenchRow bench_row(const BenchCase& measured, const BenchOptions& options) {
  BenchRow row = {.measured = &measured};
  try {
    fill_row(options, row);
  } catch (const Error& error) {
    row.error = error.what();
    row.error_code = error.code();
  } catch (const std::bad_alloc&) {
    row.error = fmt::format("{}: the system has no memory left for it", measured.name);
    row.error_code = ErrorCode::kRefused;
  }
  return row;
}

std::optional<double> speed_over(const BenchRow& row, std::string_view rival) {
  for (const RivalTime& each : row.rivals)
    if (each.name == rival) return each.shortest / row.ours.shortest;
  for (const PeerTime& each : row.peers)
    if (each.library == rival && each.shortest) return *each.shortest / row.ours.shortest;
  return {};
}

GoalVerdict judged(const BenchRow& row, const SpeedGoal& goal, const BenchSize& size) {
  if (!row.error.empty()) return {.reason = "not timed"};
  GoalVerdict verdict;
  verdict.value = goal.against.empty() ? row.per_second() : speed_over(row, goal.against);
  if (size.quick) {
    verdict.reason = "it speaks of full sizes";
  } else if (size.threads > 1) {
    verdict.reason = "it speaks of one thread";
  } else if (!verdict.value) {
    verdict.reason = fmt::format("{} was not timed", goal.against);
  } else {
    verdict.met = *verdict.value >= goal.least;
  }
  return verdict;
}

int bench_status(std::span<const BenchRow> rows) {
  int status = 0;
  for (const BenchRow& row : rows) {
    if (row.error.empty()) continue;
    if (row.error_code == ErrorCode::kNumeric) return exit_status(row.error_code);
    if (status == 0) status = exit_status(row.error_code);
  }
  return status;
}

}  // namespace sextant
