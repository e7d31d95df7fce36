// SPDX-License-Identifier: Apache-2.0
// The spectrum of a long context without a matrix: how long, and in how much memory?
//
// Counters: entries of sqrt P, bytes that each takes, the residual, and the most memory that the
// process has had, counts included.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <numeric>

#include "geometry/row_spectrum.h"
#include "measure/made_counts.h"

namespace {

using sextant::Index;

double peak_megabytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void row_spectrum(benchmark::State& state) {
  const sextant::CountsFile file = sextant::made_drifting_counts(state.range(0), state.range(1));
  std::vector<std::int64_t> sequences;
  for (const auto& blocks : file.counts.sequences_at)
    sequences.push_back(std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0}));
  const sextant::CellSource cells = [&file](const sextant::CellVisit& visit) {
    file.counts.blocks.for_each(visit);
  };
  const sextant::PositionRows rows(cells, sequences, 128, sextant::alone());
  const sextant::RowOperator product(rows, sextant::alone(), state.range(2));
  sextant::Spectrum found;
  for (auto _ : state) found = sextant::krylov_spectrum(product, rows, sextant::alone(), 16);
  state.counters["entries"] = static_cast<double>(rows.entries());
  state.counters["bytes_per_entry"] =
      static_cast<double>(rows.own().packed.size()) / static_cast<double>(rows.entries());
  state.counters["residual"] = found.residual;
  state.counters["peak_megabytes"] = peak_megabytes();
}

BENCHMARK(row_spectrum)
    ->ArgNames({"n", "V", "threads"})
    ->Args({4096, 20000, 1})
    ->Args({32768, 50000, 1})
    ->Args({32768, 50000, 2})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
