// SPDX-License-Identifier: Apache-2.0
// How close does a bias matrix of ALiBi come to writing its bytes at all?
//
// Counter speed_of_fill: our speed over that of a fill of the same memory. The second question is
// what a bias costs that is added to a tile of logits in the caches: speed_of_add, ours over that
// of adding one array to another.
#include "kernels/bias_matrix.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "measure/timing.h"
#include "sextant/bias.h"

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

template <typename Fill>
void compare_with_fill(benchmark::State& state, const Fill& fill) {
  const Index heads = state.range(0), n = state.range(1), threads = state.range(2);
  std::vector<float> ours(static_cast<std::size_t>(heads * n * n), 0.0f), other = ours;
  const auto fill_ours = [&] { fill(heads, n, threads, std::span(ours)); };
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

void bias_matrix(benchmark::State& state) {
  const sextant::LogitBias bias = {.at = alibi};
  compare_with_fill(state, [&](Index heads, Index n, Index threads, std::span<float> out) {
    sextant::fill_bias_matrix(bias, heads, Positions::range(n), threads, out);
  });
}

// The slopes of alibi() above, head by head.
sextant::BiasRows bias_of(Index heads, Index n) {
  std::string slopes;
  for (Index h = 0; h < heads; ++h)
    slopes += fmt::format("{}{}", h == 0 ? "" : ":", -alibi(h, 1.0, 0.0));
  return {"alibi(slope=" + slopes + ")", heads, n};
}

void bias_rows(benchmark::State& state) {
  const sextant::BiasRows rows = bias_of(state.range(0), state.range(1));
  compare_with_fill(state, [&](Index, Index n, Index threads, std::span<float> out) {
    rows.fill(0, n, 0, n, out, threads);
  });
}

void bias_tile(benchmark::State& state) {
  constexpr Index kSide = 64, kRepeats = 1000;
  const sextant::BiasRows rows = bias_of(1, 2048);
  std::array<float, kSide*kSide> ours = {}, other = {}, added;
  const sextant::LogitTile tile = {.data = ours.data(),
                                   .rows = kSide,
                                   .cols = kSide,
                                   .stride = kSide,
                                   .first_query = 1000,
                                   .first_key = 77};
  rows.write({.data = added.data(),
              .rows = kSide,
              .cols = kSide,
              .stride = kSide,
              .first_query = 1000,
              .first_key = 77});
  rows.add_to(tile);
  if (ours != added || added[1] != static_cast<float>(alibi(0, 1000, 78))) {
    state.SkipWithError("the tile disagrees with the bias");
    return;
  }
  sextant::Times our_time, add_time;
  for (auto _ : state) {
    state.SetIterationTime(our_time.measure([&] {
      for (Index i = 0; i < kRepeats; ++i) rows.add_to(tile);
      benchmark::ClobberMemory();
    }));
    add_time.measure([&] {
      for (Index i = 0; i < kRepeats; ++i) {
        for (std::size_t j = 0; j < other.size(); ++j) other[j] += added[j];
        benchmark::DoNotOptimize(other.data());
        benchmark::ClobberMemory();
      }
    });
  }
  state.counters["ns"] = our_time.shortest() * 1e9 / kRepeats;
  state.counters["add_ns"] = add_time.shortest() * 1e9 / kRepeats;
  state.counters["speed_of_add"] = add_time.shortest() / our_time.shortest();
}

BENCHMARK(bias_matrix)
    ->ArgNames({"heads", "n", "threads"})
    ->Args({32, 2048, 1})
    ->Args({32, 2048, 2})
    ->Iterations(15)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(bias_rows)
    ->ArgNames({"heads", "n", "threads"})
    ->Args({32, 2048, 1})
    ->Args({32, 2048, 2})
    ->Iterations(15)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(bias_tile)->Iterations(15)->UseManualTime();

}  // namespace

BENCHMARK_MAIN();
