// SPDX-License-Identifier: Apache-2.0
// exp(tX) at many times: how fast from one Schur form?
//
// Counters: speedup is the rival's time over ours, decomposition included; speedup_decomposed is
// without it. The rival of matrices is one exponential by scaling and squaring per time. The rival
// of vectors is a plain stand-in for the algorithm of Al-Mohy and Higham (2011), a truncated Taylor
// series in steps: it is told the spectral radius, the best that its norm estimates could find, and
// it multiplies by BLAS.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "math/eigen_map.h"
#include "math/exponential_family.h"
#include "math/matrix_exponential.h"
#include "measure/made_numbers.h"
#include "measure/timing.h"

namespace {

using sextant::ExponentialFamily;
using sextant::Index;
using sextant::Matrix;
using sextant::Vector;

Vector times(Index count) {
  Vector result;
  for (Index i = 0; i < count; ++i) result.push_back(static_cast<double>(i) + 0.25);
  return result;
}

// exp(tX) v. Of the degrees and step counts that keep the error below the unit roundoff the
// cheapest is taken; a series ends early when its terms do not count any more.
Vector taylor_multiply(const Matrix& x, double radius, double t, Vector v) {
  struct Reach {
    int degree;
    double theta;  // largest |tX| per step
  };
  constexpr std::array<Reach, 11> kReach = {{{5, 2.4e-3},
                                             {10, 1.4e-1},
                                             {15, 6.4e-1},
                                             {20, 1.4},
                                             {25, 2.4},
                                             {30, 3.5},
                                             {35, 4.7},
                                             {40, 6.0},
                                             {45, 7.2},
                                             {50, 8.5},
                                             {55, 9.9}}};
  const auto steps_with = [&](const Reach& r) {
    return std::max(1.0, std::ceil(std::abs(t) * radius / r.theta));
  };
  const Reach best = *std::ranges::min_element(
      kReach, {}, [&](const Reach& r) { return r.degree * steps_with(r); });
  const double steps = steps_with(best);
  const int d = static_cast<int>(x.rows());
  Vector term(v.size()), next(v.size());
  const auto largest = [](const Vector& a) {
    double most = 0.0;
    for (const double value : a) most = std::max(most, std::abs(value));
    return most;
  };
  for (Index step = 0; step < static_cast<Index>(steps); ++step) {
    term = v;
    double before = largest(term);
    for (int k = 1; k <= best.degree; ++k) {
      cblas_dgemv(CblasRowMajor, CblasNoTrans, d, d, t / (steps * k), x.values().data(), d,
                  term.data(), 1, 0.0, next.data(), 1);
      term.swap(next);
      for (std::size_t i = 0; i < v.size(); ++i) v[i] += term[i];
      const double size = largest(term);
      if (before + size <= 0x1p-53 * largest(v)) break;
      before = size;
    }
  }
  return v;
}

double distance(std::span<const double> a, std::span<const double> b) {
  return (sextant::as_eigen(a) - sextant::as_eigen(b)).norm() / sextant::as_eigen(b).norm();
}

void matrices(benchmark::State& state, const Matrix& x, Index count) {
  const Vector t = times(count);
  std::vector<Matrix> ours, theirs(t.size());
  sextant::Times our_time, their_time;
  for (auto _ : state) {
    state.SetIterationTime(our_time.measure_cpu([&] { ours = ExponentialFamily(x).at(t); }));
    their_time.measure_cpu([&] {
      for (std::size_t i = 0; i < t.size(); ++i) theirs[i] = sextant::matrix_exponential(x, t[i]);
    });
  }
  for (std::size_t i = 0; i < t.size(); ++i) {
    // Squaring loses about |tX| units in the last place.
    if (!(distance(ours[i].values(), theirs[i].values()) <= 1e-14 * (100.0 + 10.0 * t[i]))) {
      state.SkipWithError("the exponentials disagree");
      return;
    }
  }
  state.counters["ms"] = our_time.shortest() * 1e3;
  state.counters["pade_ms"] = their_time.shortest() * 1e3;
  state.counters["speedup"] = their_time.shortest() / our_time.shortest();
}

void vectors(benchmark::State& state) {
  const Index d = state.range(0);
  const Matrix x = sextant::normal_generator(d);
  const double radius = std::hypot(1.0, sextant::kGeneratorDecay);
  const Vector t = times(state.range(1));
  Vector v;
  for (Index i = 0; i < d; ++i) v.push_back(std::cos(static_cast<double>(i)));
  const ExponentialFamily family(x);
  Matrix ours;
  std::vector<Vector> theirs(t.size());
  sextant::Times decomposition, our_time, their_time;
  for (auto _ : state) {
    decomposition.measure_cpu([&] { benchmark::DoNotOptimize(ExponentialFamily(x)); });
    state.SetIterationTime(our_time.measure_cpu([&] { ours = family.apply(t, v); }));
    their_time.measure_cpu([&] {
      for (std::size_t i = 0; i < t.size(); ++i) theirs[i] = taylor_multiply(x, radius, t[i], v);
    });
  }
  for (std::size_t i = 0; i < t.size(); ++i) {
    if (!(distance(ours.row(static_cast<Index>(i)), theirs[i]) <= 1e-14 * (100.0 + 10.0 * t[i]))) {
      state.SkipWithError("the vectors disagree");
      return;
    }
  }
  const double ours_in_all = decomposition.shortest() + our_time.shortest();
  state.counters["ms"] = our_time.shortest() * 1e3;
  state.counters["decomposition_ms"] = decomposition.shortest() * 1e3;
  state.counters["taylor_ms"] = their_time.shortest() * 1e3;
  state.counters["speedup"] = their_time.shortest() / ours_in_all;
  state.counters["speedup_decomposed"] = their_time.shortest() / our_time.shortest();
}

void matrices_of_a_normal_generator(benchmark::State& state) {
  matrices(state, sextant::normal_generator(state.range(0)), state.range(1));
}
void matrices_of_a_general_generator(benchmark::State& state) {
  matrices(state, sextant::general_generator(state.range(0)), state.range(1));
}

BENCHMARK(matrices_of_a_normal_generator)
    ->ArgNames({"d", "times"})
    ->Args({128, 256})
    ->Iterations(2)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK(matrices_of_a_general_generator)
    ->ArgNames({"d", "times"})
    ->Args({128, 64})
    ->Iterations(2)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK(vectors)
    ->ArgNames({"d", "times"})
    ->Args({128, 256})
    ->Iterations(5)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
