// SPDX-License-Identifier: Apache-2.0
// Leading eigenpairs: how fast against LAPACK's range (dsyevr), and how large without a matrix?
//
// Counters: speedup is LAPACK's time over ours, checks included; megabytes is what the process
// grew by at most while a spectrum of sparse rows was made.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "math/spectrum.h"
#include "measure/made_numbers.h"
#include "measure/timing.h"

namespace {

using sextant::Index;
using sextant::Matrix;
using sextant::SparseColumns;
using sextant::Spectrum;

void top_eigenpairs(benchmark::State& state) {
  const Index n = state.range(0), count = state.range(1);
  const Matrix b = sextant::noisy_gram(n, static_cast<double>(state.range(2)) / 100.0);
  Spectrum ours, theirs;
  sextant::Times our_time, lapack_time;
  for (auto _ : state) {
    state.SetIterationTime(our_time.measure_cpu([&] { ours = sextant::top_eigenpairs(b, count); }));
    lapack_time.measure_cpu([&] { theirs = sextant::lapack_eigenpairs(b, count); });
  }
  for (std::size_t k = 0; k < theirs.values.size(); ++k) {
    if (std::abs(ours.values[k] - theirs.values[k]) > 1e-10 * theirs.values[0]) {
      state.SkipWithError("the eigenvalues disagree with LAPACK");
      return;
    }
  }
  state.counters["certified"] = ours.multiplicity_certified ? 1.0 : 0.0;
  state.counters["residual"] = ours.residual;
  state.counters["ms"] = our_time.shortest() * 1e3;
  state.counters["lapack_ms"] = lapack_time.shortest() * 1e3;
  state.counters["speedup"] = lapack_time.shortest() / our_time.shortest();
}

// 0.6 % of the entries; the laws drift over the positions, each token at one of ten speeds.
SparseColumns drifting_rows(Index rows, Index columns) {
  const sextant::Rng rng(20240607, 4);
  SparseColumns s;
  s.rows = rows;
  std::uint64_t counter = 0;
  for (Index v = 0; v < columns; ++v) {
    const double share = std::min(1.0, 45.0 / static_cast<double>(v + 60));
    const double start = rng.uniform(counter++);
    const double turn = 6.28 * rng.uniform(counter++);
    for (Index i = static_cast<Index>(start / share); i < rows;
         i += 1 + static_cast<Index>(2.0 * rng.uniform(counter++) * (1.0 / share - 1.0))) {
      const double drift = 1.0 + 0.9 * std::cos(turn + 3.0 * static_cast<double>((1 + v % 10) * i) /
                                                           static_cast<double>(rows));
      s.row.push_back(static_cast<std::uint32_t>(i));
      s.value.push_back(std::sqrt(share * drift) * (0.5 + rng.uniform(counter++)));
    }
    s.starts.push_back(s.row.size());
  }
  return s;
}

double peak_megabytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void top_eigenpairs_of_rows(benchmark::State& state) {
  const Index n = state.range(0), threads = state.range(2);
  const SparseColumns s = drifting_rows(n, state.range(1));
  Spectrum found;
  for (auto _ : state) found = sextant::top_eigenpairs_of_rows(s, 16, threads);
  state.counters["entries"] = static_cast<double>(s.value.size());
  state.counters["residual"] = found.residual;
  state.counters["peak_megabytes"] = peak_megabytes();
}

BENCHMARK(top_eigenpairs_of_rows)
    ->ArgNames({"n", "V", "threads"})
    ->Args({32768, 50000, 1})
    ->Args({32768, 50000, 2})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

BENCHMARK(top_eigenpairs)
    ->ArgNames({"n", "count", "noise"})
    ->Args({1024, 16, 100})
    ->Args({1536, 100, 100})
    ->Args({2048, 64, 100})
    ->Args({2048, 64, 1000})
    ->Args({4096, 64, 0})
    ->Args({4096, 64, 100})
    ->Args({4096, 64, 1000})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
