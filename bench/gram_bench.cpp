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
#include <vector>

#include "base/rng.h"
#include "math/gram.h"
#include "timing.h"

namespace {

using sextant::Index;
using sextant::Matrix;
using sextant::SparseColumns;

// Column v stands in a share 1 - exp(-mass / (v + 1)) of the rows: whether a token of a Zipf law
// occurs at a position at least once. mass = 0: everywhere.
SparseColumns zipf_columns(Index rows, Index columns, double mass) {
  const sextant::Rng rng(20240607, 1);
  SparseColumns s;
  s.rows = rows;
  std::uint64_t counter = 0;
  for (Index v = 0; v < columns; ++v) {
    const double share = mass > 0.0 ? 1.0 - std::exp(-mass / static_cast<double>(v + 1)) : 1.0;
    for (Index i = 0; i < rows; ++i) {
      const double draw = rng.uniform(counter++);
      if (draw >= share) continue;
      s.row.push_back(static_cast<std::uint32_t>(i));
      s.value.push_back(std::sqrt((draw + 1e-3) / static_cast<double>(v + 1)));
    }
    s.starts.push_back(s.row.size());
  }
  return s;
}

// By rows of the transpose: token v is row v.
std::vector<double> written_out(const SparseColumns& s) {
  std::vector<double> dense(static_cast<std::size_t>(s.rows * s.columns()));
  for (std::size_t v = 0; v + 1 < s.starts.size(); ++v) {
    for (std::size_t k = s.starts[v]; k < s.starts[v + 1]; ++k) {
      dense[v * static_cast<std::size_t>(s.rows) + s.row[k]] = s.value[k];
    }
  }
  return dense;
}

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
  const SparseColumns s = zipf_columns(n, columns, static_cast<double>(state.range(2)));
  const std::vector<double> dense = written_out(s);
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
  ShortestTime our_time, blas_time;
  for (auto _ : state) {
    state.SetIterationTime(our_time.measure_cpu(by_us));
    blas_time.measure_cpu(by_blas);
  }
  state.counters["density"] =
      static_cast<double>(s.value.size()) / static_cast<double>(n * columns);
  state.counters["ms"] = our_time.seconds() * 1e3;
  state.counters["dsyrk_ms"] = blas_time.seconds() * 1e3;
  state.counters["speedup"] = blas_time.seconds() / our_time.seconds();
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
