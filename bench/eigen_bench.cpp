// SPDX-License-Identifier: Apache-2.0
// Leading eigenpairs: how fast against LAPACK's range (dsyevr)?
//
// Counters: speedup is LAPACK's time over ours, checks included.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "math/spectrum.h"
#include "measure/made_numbers.h"
#include "measure/timing.h"

namespace {

using sextant::Index;
using sextant::Matrix;
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
