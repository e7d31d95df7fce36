// SPDX-License-Identifier: Apache-2.0
// How fast is the stress of a table of points against a target?
//
// Rival: float32 as array libraries do it: squared norms, one product of matrices, and an n x n
// temporary for each step of the formula. Counter speedup: the rival's time over ours.
#include <benchmark/benchmark.h>
#include <cblas.h>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "measure/made_numbers.h"
#include "measure/timing.h"
#include "sextant/geometry.h"

namespace {

using sextant::DistanceMatrix;
using sextant::Index;
using sextant::Matrix;
using sextant::PointCloud;

using Floats = std::vector<float>;

// Without zeros, as array libraries allocate their temporaries.
using Temporary = std::unique_ptr<float[]>;
Temporary temporary(std::size_t count) { return std::make_unique_for_overwrite<float[]>(count); }

template <typename Value>
Temporary elementwise(std::size_t count, const Value& value) {
  Temporary result = temporary(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = value(i);
  return result;
}

Temporary root(std::size_t count, const Temporary& x) {
  Temporary result = temporary(count);
  const auto size = static_cast<Index>(count);
  Eigen::Map<Eigen::ArrayXf>(result.get(), size) =
      Eigen::Map<const Eigen::ArrayXf>(x.get(), size).sqrt();
  return result;
}

// Sums in blocks of 128, as pairwise summation begins; vectorised by eight interleaved sums.
double sum_of(std::size_t count, const Temporary& x) {
  double total = 0.0;
  for (std::size_t first = 0; first < count; first += 128) {
    float lanes[8] = {};
    const std::size_t last = std::min(first + 128, count);
    for (std::size_t i = first; i + 8 <= last; i += 8) {
      for (std::size_t lane = 0; lane < 8; ++lane) lanes[lane] += x[i + lane];
    }
    for (const float lane : lanes) total += static_cast<double>(lane);
  }
  return total;
}

// raw and scaled stress; n must be a multiple of 8.
struct Stress {
  double raw, scaled;
};

Stress with_temporaries(const Floats& x, const Floats& target, Index n, Index dim) {
  const auto side = static_cast<std::size_t>(n), count = side * side;
  Floats squares(side);
  for (std::size_t i = 0; i < side; ++i) {
    for (Index k = 0; k < dim; ++k) {
      const float value = x[i * static_cast<std::size_t>(dim) + static_cast<std::size_t>(k)];
      squares[i] += value * value;
    }
  }
  const Temporary products = temporary(count), both = temporary(count);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(n), static_cast<int>(n),
              static_cast<int>(dim), 1.0f, x.data(), static_cast<int>(dim), x.data(),
              static_cast<int>(dim), 0.0f, products.get(), static_cast<int>(n));
  const auto twice = elementwise(count, [&](std::size_t i) { return 2.0f * products[i]; });
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) both[i * side + j] = squares[i] + squares[j];
  }
  for (std::size_t i = 0; i < count; ++i) both[i] -= twice[i];
  const auto clipped = elementwise(count, [&](std::size_t i) { return std::max(both[i], 0.0f); });
  const Temporary e = root(count, clipped);
  const auto miss = elementwise(count, [&](std::size_t i) { return target[i] - e[i]; });
  const auto miss2 = elementwise(count, [&](std::size_t i) { return miss[i] * miss[i]; });
  const auto de = elementwise(count, [&](std::size_t i) { return target[i] * e[i]; });
  const auto ee = elementwise(count, [&](std::size_t i) { return e[i] * e[i]; });
  const auto dd = elementwise(count, [&](std::size_t i) { return target[i] * target[i]; });
  const double sum_de = sum_of(count, de), sum_dd = sum_of(count, dd);
  return {sum_of(count, miss2) / sum_dd, 1.0 - sum_de * sum_de / (sum_dd * sum_of(count, ee))};
}

void stress(benchmark::State& state) {
  const Index n = state.range(0), dim = state.range(1);
  const Matrix x = sextant::made_points(
      n, dim, state.range(2) == 1 ? PointCloud::kSinusoids : PointCloud::kGaussian);
  const DistanceMatrix target =
      stored(*sextant::distances_of_rows(sextant::made_points(n, 12, PointCloud::kGaussian)));
  const Floats float_x(x.values().begin(), x.values().end());
  Floats float_target(static_cast<std::size_t>(n * n));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      float_target[static_cast<std::size_t>(i * n + j)] = static_cast<float>(target(i, j));
    }
  }
  Stress ours = {}, theirs = {};
  const auto by_us = [&] {
    const DistanceMatrix* const targets[] = {&target};
    const auto sums = sextant::pair_sums(targets, *sextant::distances_of_rows(x))[0];
    ours = {sums.raw(), sums.scaled()};
  };
  const auto by_arrays = [&] { theirs = with_temporaries(float_x, float_target, n, dim); };
  by_us();
  by_arrays();
  if (std::abs(ours.raw - theirs.raw) > 1e-4 * ours.raw ||
      std::abs(ours.scaled - theirs.scaled) > 1e-4) {
    state.SkipWithError("the stress disagrees with the float arrays");
    return;
  }
  sextant::Times our_time, array_time;
  for (auto _ : state) {
    state.SetIterationTime(our_time.measure_cpu(by_us));
    array_time.measure_cpu(by_arrays);
  }
  state.counters["ms"] = our_time.shortest() * 1e3;
  state.counters["arrays_ms"] = array_time.shortest() * 1e3;
  state.counters["speedup"] = array_time.shortest() / our_time.shortest();
}

BENCHMARK(stress)
    ->ArgNames({"n", "dim", "sinusoids"})
    ->Args({4096, 64, 0})
    ->Args({4096, 64, 1})
    ->Args({4096, 256, 1})
    ->Iterations(10)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
