// SPDX-License-Identifier: Apache-2.0
// How fast is the Gram matrix of sparse rows against one dense product?
//
// Rival: dsyrk of OpenBLAS on the rows written out densely, which we do not charge for writing.
// Columns follow a Zipf law, as tokens do. Counters: density is the share of non-zeros, speedup the
// rival's time over ours.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <algorithm>
#include <cmath>

#include "math/gram.h"
#include "measure/made_numbers.h"
#include "measure/timing.h"

namespace {

using sextant::Index;
using sextant::Matrix;
using sextant::SparseColumns;

bool agree(const Matrix& ours, const Matrix& lower) {
  double worst = 0.0, largest = 0.0;
  for (Index i = 0; i < ours.rows(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      worst = std::max(worst, std::abs(ours(i, j) - lower(i, j)));
      largest = std::max(largest, std::abs(lower(i, j)));
    }
  }
  return worst <= 1e-12 * largest;
}

void gram(benchmark::State& state) {
  const Index n = state.range(0), columns = state.range(1);
  const SparseColumns s = sextant::zipf_columns(n, columns, static_cast<double>(state.range(2)));
  const sextant::Vector dense = sextant::written_out(s);
  Matrix ours, theirs(n, n);
  const auto by_us = [&] { ours = sextant::gram(s); };
  const auto by_blas = [&] {
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, static_cast<int>(n),
                static_cast<int>(columns), 1.0, dense.data(), static_cast<int>(n), 0.0,
                theirs.values().data(), static_cast<int>(n));
  };
  by_us();
  by_blas();
  if (!agree(ours, theirs)) {
    state.SkipWithError("the Gram matrix disagrees with dsyrk");
    return;
  }
  sextant::Times our_time, blas_time;
  for (auto _ : state) {
    state.SetIterationTime(our_time.measure_cpu(by_us));
    blas_time.measure_cpu(by_blas);
  }
  state.counters["density"] =
      static_cast<double>(s.value.size()) / static_cast<double>(n * columns);
  state.counters["ms"] = our_time.shortest() * 1e3;
  state.counters["dsyrk_ms"] = blas_time.shortest() * 1e3;
  state.counters["speedup"] = blas_time.shortest() / our_time.shortest();
}

BENCHMARK(gram)
    ->ArgNames({"n", "V", "mass"})
    ->Args({2048, 30000, 300})
    ->Args({2048, 30000, 1000})
    ->Args({2048, 30000, 1900})
    ->Args({2048, 30000, 10000})
    ->Args({2048, 30000, 0})
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
