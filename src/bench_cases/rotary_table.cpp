// SPDX-License-Identifier: Apache-2.0
// A table of cosines and sines, correctly rounded, against writing its bytes at all.
#include "kernels/rotary_table.h"

#include <fmt/format.h>

#include <memory>

#include "base/rng.h"
#include "base/rounding.h"
#include "math/elementary.h"
#include "measure/bench_case.h"
#include "measure/plain_loops.h"

namespace sextant {
namespace {

constexpr Index kDim = 128;
constexpr double kBase = 10000.0;

struct Job {
  Index positions = 0;
  std::vector<DoubleDouble> frequencies = {};
  std::vector<float> values = {};  // all cosines, then all sines, [positions, dim / 2] each

  RotaryTable table() {
    const std::span<float> all(values);
    return {all.first(all.size() / 2), all.last(all.size() / 2)};
  }
};

Index positions_of(const BenchSize& size) { return size.quick ? 8192 : 131072; }

double bytes_of(const BenchSize& size) {
  return static_cast<double>(positions_of(size) * kDim) * sizeof(float);
}

// Values anywhere in the table, one by one in double-double.
std::string fault(Job& job) {
  const Rng rng(20240607, 0);
  const RotaryTable table = job.table();
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const auto at = static_cast<std::size_t>(rng.at(i) % table.cos.size());
    const std::size_t position = at / job.frequencies.size(), pair = at % job.frequencies.size();
    const CosSin exact = cos_sin(static_cast<double>(position), job.frequencies[pair]);
    if (table.cos[at] != to_float(exact.cos) || table.sin[at] != to_float(exact.sin))
      return fmt::format("pair {} of position {} is not correctly rounded", pair, position);
  }
  return {};
}

BenchWork prepared(const BenchSize& size) {
  const auto job = std::make_shared<Job>(Job{.positions = positions_of(size)});
  for (Index i = 0; i < kDim / 2; ++i)
    job->frequencies.push_back(rational_power(kBase, -2 * i, kDim));
  job->values.resize(static_cast<std::size_t>(job->positions * kDim));
  return {.size = fmt::format("{} positions x {}, f32", job->positions, kDim),
          .amount = static_cast<double>(job->values.size() * sizeof(float)),
          .run =
              [job, size] {
                fill_rotary_table(Positions::range(job->positions), job->frequencies, 1.0,
                                  size.threads, job->table());
              },
          .fault = [job] { return fault(*job); },
          .plain = fill_of(std::span(job->values), size.threads),
          .peer = PeerTask{.function = "rotary_table",
                           .libraries = {"numpy", "torch"},
                           .sizes = {{"positions", job->positions}, {"dim", kDim}},
                           .bytes = 4.0 * bytes_of(size)}};
}

}  // namespace

void register_rotary_table(BenchRegistry& cases) {
  cases.add({.name = "rotary-table",
             .measures = "cosines and sines of consecutive positions, correctly rounded",
             .goals = {{"R5", kFill, 0.4}, {"R5", "numpy", 4.0}},
             .bytes = bytes_of,
             .prepare = prepared});
}

}  // namespace sextant
