// SPDX-License-Identifier: Apache-2.0
// How close does turning queries or keys in place come to reading and writing them at all?
//
// Rival: a loop that multiplies the same floats in place by a constant. Counter speed_of_loop is
// our speed over that of the loop. Decode: one token, turns included; cost_of_far is the cost at
// position 131071 over that at 0.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "base/rounding.h"
#include "measure/timing.h"
#include "sextant/rotary.h"

namespace {

using sextant::Dtype;
using sextant::HeadsView;
using sextant::Index;

constexpr Index kDim = 128;
constexpr std::array<const char*, 2> kSpecs = {"rope(base=500000)",
                                               "rope(base=500000,pairing=interleaved)"};

// The compiler's vectors of the same width as ours; clones for machines that have wider ones.
__attribute__((target_clones("default", "avx2", "avx512f"))) void scale(float* values, Index count,
                                                                        float factor) {
  for (Index i = 0; i < count; ++i) values[i] *= factor;
}

// Values of a head of any type, counted in floats of memory.
std::vector<float> drawn(Index floats) {
  std::vector<float> values(static_cast<std::size_t>(floats));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i * 2654435761 % 4096) / 2048.0f - 1.0f;
  return values;
}

HeadsView view_of(std::vector<float>& values, Dtype dtype, Index tokens, Index heads) {
  HeadsView view = sextant::token_major(values.data(), tokens, heads, kDim);
  view.dtype = dtype;
  return view;
}

double value_at(const HeadsView& view, Index at) {
  if (view.dtype == Dtype::kF32) return static_cast<double>(static_cast<float*>(view.data)[at]);
  const std::uint16_t bits = static_cast<std::uint16_t*>(view.data)[at];
  return view.dtype == Dtype::kF16 ? sextant::from_half(bits) : sextant::from_bfloat16(bits);
}

// The first tokens against the plain version.
bool right(const sextant::Rotary& rotary, Dtype dtype, Index heads) {
  constexpr Index kTokens = 3;
  const Index floats = kTokens * heads * kDim;
  std::vector<float> ours = drawn(floats), plain = ours;
  if (dtype != Dtype::kF32) {
    for (std::vector<float>* values : {&ours, &plain}) {
      auto* bits = reinterpret_cast<std::uint16_t*>(values->data());
      for (Index i = 0; i < floats; ++i) {
        const double value = std::sin(static_cast<double>(i));
        bits[i] = dtype == Dtype::kF16 ? sextant::to_half(value) : sextant::to_bfloat16(value);
      }
    }
  }
  const HeadsView a = view_of(ours, dtype, kTokens, heads);
  const HeadsView b = view_of(plain, dtype, kTokens, heads);
  const sextant::Turns turns = rotary.range(131069, kTokens);
  apply_to_queries(turns, a, a);
  apply_to_queries_plain(turns, b, b);
  const double bound = dtype == Dtype::kF32 ? 4e-7 : dtype == Dtype::kF16 ? 2e-3 : 1.6e-2;
  for (Index i = 0; i < floats; ++i) {
    if (!(std::abs(value_at(a, i) - value_at(b, i)) <= bound)) return false;
  }
  return true;
}

void rotary_prefill(benchmark::State& state) {
  const Index tokens = state.range(0), heads = state.range(1), threads = state.range(4);
  const auto dtype = static_cast<Dtype>(state.range(3));
  const sextant::Rotary rotary(kSpecs[static_cast<std::size_t>(state.range(2))], kDim);
  if (!right(rotary, dtype, heads)) {
    state.SkipWithError("the turned heads disagree with the plain version");
    return;
  }
  const Index floats = tokens * heads * kDim * sextant::bytes_per_value(dtype) / 4;
  std::vector<float> values = drawn(floats);
  const HeadsView view = view_of(values, dtype, tokens, heads);
  const sextant::Turns turns = rotary.range(0, tokens);
  sextant::Times our_time, loop_time;
  for (auto _ : state) {
    state.SetIterationTime(our_time.measure([&] {
      apply_to_queries(turns, view, view, {.threads = threads});
      benchmark::ClobberMemory();
    }));
    loop_time.measure([&] {
      scale(values.data(), floats, 0.99999f);
      benchmark::ClobberMemory();
    });
  }
  state.counters["ms"] = our_time.shortest() * 1e3;
  state.counters["loop_ms"] = loop_time.shortest() * 1e3;
  state.counters["speed_of_loop"] = loop_time.shortest() / our_time.shortest();
}

void rotary_decode(benchmark::State& state) {
  constexpr Index kHeads = 32;
  const sextant::Rotary rotary(kSpecs[static_cast<std::size_t>(state.range(0))], kDim);
  if (!right(rotary, Dtype::kF32, kHeads)) {
    state.SkipWithError("the turned heads disagree with the plain version");
    return;
  }
  std::vector<float> values = drawn(kHeads * kDim);
  const HeadsView view = view_of(values, Dtype::kF32, 1, kHeads);
  const auto decode = [&](std::int64_t t) {
    const sextant::Turns turns = rotary.range(t, 1);
    apply_to_queries(turns, view, view);
    benchmark::ClobberMemory();
  };
  sextant::Times near_time, far_time;
  constexpr int kTimes = 100;
  for (auto _ : state) {
    near_time.measure([&] {
      for (int i = 0; i < kTimes; ++i) decode(0);
    });
    state.SetIterationTime(far_time.measure([&] {
      for (int i = 0; i < kTimes; ++i) decode(131071);
    }));
  }
  state.counters["us"] = far_time.shortest() * 1e6 / kTimes;
  state.counters["cost_of_far"] = far_time.shortest() / near_time.shortest();
}

constexpr auto kF32 = static_cast<Index>(Dtype::kF32);
constexpr auto kF16 = static_cast<Index>(Dtype::kF16);
constexpr auto kBF16 = static_cast<Index>(Dtype::kBF16);

BENCHMARK(rotary_prefill)
    ->ArgNames({"tokens", "heads", "interleaved", "dtype", "threads"})
    ->Args({4096, 32, 0, kF32, 1})
    ->Args({4096, 32, 1, kF32, 1})
    ->Args({4096, 32, 0, kF16, 1})
    ->Args({4096, 32, 1, kF16, 1})
    ->Args({4096, 32, 0, kBF16, 1})
    ->Args({4096, 32, 1, kBF16, 1})
    ->Args({64, 32, 0, kF32, 1})
    ->Args({64, 32, 1, kF32, 1})
    ->Args({4096, 8, 0, kF32, 1})
    ->Args({4096, 32, 0, kF32, 2})
    ->Iterations(150)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(rotary_decode)
    ->ArgNames({"interleaved"})
    ->Args({0})
    ->Args({1})
    ->Iterations(200)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
