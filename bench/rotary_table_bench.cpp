// SPDX-License-Identifier: Apache-2.0
// How close does a correctly rounded cos/sin table come to writing its bytes at all?
//
// Rivals: a fill of the same memory, and the common loop over float phases and the C library.
// Counters: speed_of_fill is our speed over that of the fill, speedup ours over that of the loop.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/rotary_table.h"
#include "math/elementary.h"
#include "measure/timing.h"

namespace {

using sextant::DoubleDouble;
using sextant::Index;
using sextant::Positions;

struct Tables {
  std::vector<float> cos, sin;

  explicit Tables(Index size)
      : cos(static_cast<std::size_t>(size), 0.0f), sin(static_cast<std::size_t>(size), 0.0f) {}
};

void fill_plainly(Tables& out, float value) {
  std::fill(out.cos.begin(), out.cos.end(), value);
  std::fill(out.sin.begin(), out.sin.end(), value);
  benchmark::ClobberMemory();
}

void fill_by_float_phase(Index positions, const std::vector<DoubleDouble>& frequencies,
                         Tables& out) {
  std::size_t at = 0;
  for (Index t = 0; t < positions; ++t) {
    for (const DoubleDouble& frequency : frequencies) {
      const float phase = static_cast<float>(t) * static_cast<float>(frequency.high);
      out.cos[at] = std::cos(phase);
      out.sin[at] = std::sin(phase);
      ++at;
    }
  }
  benchmark::ClobberMemory();
}

// 2000 rows anywhere in the table, by the reference.
bool right(Index positions, const std::vector<DoubleDouble>& frequencies, const Tables& found) {
  std::mt19937_64 rng(20240607);
  std::uniform_int_distribution<Index> anywhere(0, positions - 1);
  const std::size_t pairs = frequencies.size();
  std::vector<float> cos(pairs), sin(pairs);
  for (int i = 0; i < 2000; ++i) {
    const Index t = anywhere(rng);
    sextant::fill_rotary_table_plain(Positions::range(1, static_cast<double>(t)), frequencies, 1.0,
                                     {cos, sin});
    const auto row = t * static_cast<Index>(pairs);
    if (!std::equal(cos.begin(), cos.end(), found.cos.begin() + row)) return false;
    if (!std::equal(sin.begin(), sin.end(), found.sin.begin() + row)) return false;
  }
  return true;
}

void rotary_table(benchmark::State& state) {
  const Index positions = state.range(0), dim = state.range(1), threads = state.range(2);
  std::vector<DoubleDouble> frequencies;
  for (Index i = 0; i < dim / 2; ++i) {
    frequencies.push_back(sextant::rational_power(10000.0, -2 * i, dim));
  }
  Tables ours(positions * dim / 2), other(positions * dim / 2);
  const auto fill_ours = [&] {
    sextant::fill_rotary_table(Positions::range(positions), frequencies, 1.0, threads,
                               {ours.cos, ours.sin});
  };
  fill_ours();
  if (!right(positions, frequencies, ours)) {
    state.SkipWithError("the table disagrees with the plain path");
    return;
  }
  sextant::Times our_time, fill_time, loop_time;
  for (auto _ : state) {
    state.SetIterationTime(our_time.measure(fill_ours));
    fill_time.measure([&] { fill_plainly(other, 0.5f); });
    if (state.iterations() % 8 == 0) {
      loop_time.measure([&] { fill_by_float_phase(positions, frequencies, other); });
    }
  }
  state.counters["ms"] = our_time.shortest() * 1e3;
  state.counters["fill_ms"] = fill_time.shortest() * 1e3;
  state.counters["speed_of_fill"] = fill_time.shortest() / our_time.shortest();
  state.counters["speedup"] = loop_time.shortest() / our_time.shortest();
  state.SetBytesProcessed(state.iterations() * positions * dim * Index{sizeof(float)});
}

BENCHMARK(rotary_table)
    ->ArgNames({"positions", "dim", "threads"})
    ->Args({131072, 128, 1})
    ->Args({131072, 128, 2})
    ->Args({4096, 128, 1})
    ->Iterations(40)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
