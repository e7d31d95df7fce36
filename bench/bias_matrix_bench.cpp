// SPDX-License-Identifier: Apache-2.0
// How close does a bias matrix of ALiBi come to writing its bytes at all?
//
// Counter speed_of_fill: our speed over that of a fill of the same memory.
#include "kernels/bias_matrix.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "measure/timing.h"

namespace {

using sextant::Index;
using sextant::Positions;

double alibi(Index head, double s, double t) {
  return -std::ldexp(std::abs(s - t), -static_cast<int>(head % 8) - 1);
}

bool right(Index heads, Index n, const std::vector<float>& found) {
  std::mt19937_64 rng(20240607);
  std::uniform_int_distribution<Index> anywhere(0, heads * n * n - 1);
  for (int i = 0; i < 100000; ++i) {
    const Index at = anywhere(rng);
    const double expected =
        alibi(at / (n * n), static_cast<double>(at / n % n), static_cast<double>(at % n));
    if (found[static_cast<std::size_t>(at)] != static_cast<float>(expected)) return false;
  }
  return true;
}

void bias_matrix(benchmark::State& state) {
  const Index heads = state.range(0), n = state.range(1), threads = state.range(2);
  const sextant::LogitBias bias = {.at = alibi};
  std::vector<float> ours(static_cast<std::size_t>(heads * n * n), 0.0f), other = ours;
  const auto fill_ours = [&] {
    sextant::fill_bias_matrix(bias, heads, Positions::range(n), threads, std::span(ours));
  };
  fill_ours();
  if (!right(heads, n, ours)) {
    state.SkipWithError("the matrix disagrees with the bias");
    return;
  }
  sextant::Times our_time, fill_time;
  for (auto _ : state) {
    state.SetIterationTime(our_time.measure(fill_ours));
    fill_time.measure([&] {
      std::fill(other.begin(), other.end(), 0.5f);
      benchmark::ClobberMemory();
    });
  }
  state.counters["ms"] = our_time.shortest() * 1e3;
  state.counters["fill_ms"] = fill_time.shortest() * 1e3;
  state.counters["speed_of_fill"] = fill_time.shortest() / our_time.shortest();
  state.SetBytesProcessed(state.iterations() * heads * n * n * Index{sizeof(float)});
}

BENCHMARK(bias_matrix)
    ->ArgNames({"heads", "n", "threads"})
    ->Args({32, 2048, 1})
    ->Args({32, 2048, 2})
    ->Iterations(15)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
