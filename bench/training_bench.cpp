// SPDX-License-Identifier: Apache-2.0
// How many steps of training in a second, by encoding: 2 layers, d = 64, 50 positions, batches of
// 32, one thread. python_training.py times the same model in Python, where torch is installed.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

#include "lab/trainer.h"
#include "sextant/task.h"

namespace {

void train_steps(benchmark::State& state, const std::string& encoding) {
  sextant::Trial trial;
  trial.encoding = encoding;
  trial.schedule.steps = 100;
  trial.schedule.batch = 32;
  trial.test_lengths = {50};
  trial.test_sequences = 1;
  const auto task = sextant::tasks().make(trial.task);
  double best = 0.0;
  for (auto unused : state) {
    (void)unused;
    best = std::max(best, sextant::train(trial, *task, *task, {})->steps_per_second);
  }
  state.counters["steps_per_second"] = best;
}

const bool registered = [] {
  for (const std::string encoding : {"none", "sinusoidal", "rope", "alibi", "learned"})
    benchmark::RegisterBenchmark(encoding.c_str(), train_steps, encoding)
        ->Iterations(3)
        ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace

BENCHMARK_MAIN();
