// SPDX-License-Identifier: Apache-2.0
// Time per logit, for every registered encoding. Refuses to time a wrong answer.
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

#include "sextant/registry.h"

namespace {

using sextant::Index;
using sextant::Vector;

// first, first + step, ..., [n].
Vector ramp(Index n, double first, double step) {
  Vector values(static_cast<std::size_t>(n));
  for (double& value : values) {
    value = first;
    first += step;
  }
  return values;
}

void logit(benchmark::State& state, const std::string& name) {
  const sextant::Extent extent{.positions = 512, .dim = state.range(0)};
  const sextant::Effects effects = sextant::encodings().make(name)->effects(extent);
  const sextant::Position s = 77.0, t = 9.0;
  const Vector q = ramp(extent.dim, -1.0, 0.02);
  const Vector k = ramp(extent.dim, 1.0, -0.01);

  const double slow = sextant::pair_form(effects, extent, 0, s, t)(q, k);
  const double fast = sextant::fast_logit(effects, 0, s, t, q, k);
  // Sums of `dim` products in another order.
  if (!(std::abs(fast - slow) <= 1e-9 * (1.0 + std::abs(slow)))) {
    state.SkipWithError("the fast path disagrees with the pair form");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(sextant::fast_logit(effects, 0, s, t, q, k));
  }
  state.SetItemsProcessed(state.iterations());
}

}  // namespace

int main(int argc, char** argv) {
  for (const std::string& name : sextant::encodings().names()) {
    if (!sextant::encodings().info(name).required_file.empty()) continue;
    benchmark::RegisterBenchmark(("logit/" + name).c_str(), logit, name)->Arg(64)->Arg(128);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
