// SPDX-License-Identifier: Apache-2.0
// The bias of ALiBi: as a matrix, and added to tiles of logits that stay in the cache.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "base/parallel.h"
#include "base/rng.h"
#include "measure/bench_case.h"
#include "measure/plain_loops.h"
#include "measure/timing.h"
#include "sextant/bias.h"

namespace sextant {
namespace {

constexpr Index kTile = 64;  // rows and columns

struct Sizes {
  Index heads, n;
};
Sizes sizes_of(const BenchSize& size) { return size.quick ? Sizes{8, 512} : Sizes{32, 2048}; }

double logit_bytes(const Sizes& sizes) {
  return 4.0 * static_cast<double>(sizes.heads * sizes.n * sizes.n);
}

// -2^(-8 (h + 1) / H) |s - t|, rounded to float once or from a double that is right.
bool right(const Sizes& sizes, Index head, Index s, Index t, float found) {
  const double exponent = -8.0 * static_cast<double>(head + 1) / static_cast<double>(sizes.heads);
  const double exact = -std::exp2(exponent) * static_cast<double>(std::abs(s - t));
  constexpr double kHalfUnit = 0x1.0001p-24;
  return std::abs(static_cast<double>(found) - exact) <= kHalfUnit * std::abs(exact);
}

std::string fault_at(Index head, Index s, Index t) {
  return fmt::format("head {} at query {} and key {} is not rounded to nearest", head, s, t);
}

std::string matrix_fault(const Sizes& sizes, std::span<const float> matrix) {
  const Rng rng(20240607, 0);
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    const auto at = static_cast<Index>(rng.at(i) % matrix.size());
    const Index head = at / (sizes.n * sizes.n), s = at / sizes.n % sizes.n, t = at % sizes.n;
    if (!right(sizes, head, s, t, matrix[static_cast<std::size_t>(at)]))
      return fault_at(head, s, t);
  }
  return {};
}

BenchWork matrix_work(const BenchSize& size) {
  const Sizes sizes = sizes_of(size);
  const auto matrix = std::make_shared<std::vector<float>>(
      static_cast<std::size_t>(sizes.heads * sizes.n * sizes.n));
  return {.size = fmt::format("{} heads x {} x {}, f32", sizes.heads, sizes.n, sizes.n),
          .amount = logit_bytes(sizes),
          .run =
              [matrix, sizes, size] {
                const BiasRows bias("alibi", sizes.heads, sizes.n);
                bias.fill(0, sizes.n, 0, sizes.n, *matrix, size.threads);
              },
          .fault = [matrix, sizes] { return matrix_fault(sizes, *matrix); },
          .plain = fill_of(std::span(*matrix), size.threads),
          .peer = PeerTask{.function = "alibi",
                           .libraries = {"numpy", "torch"},
                           .sizes = {{"heads", sizes.heads}, {"n", sizes.n}},
                           .bytes = 3.0 * logit_bytes(sizes)}};
}

// One tile of each head after the other goes over all its queries and keys.
struct TileJob {
  explicit TileJob(const Sizes& sizes_)
      : sizes(sizes_),
        bias("alibi", sizes_.heads, sizes_.n),
        tiles(static_cast<std::size_t>(sizes_.heads * kTile * kTile)) {}

  std::span<float> tile(Index head) {
    return std::span(tiles).subspan(static_cast<std::size_t>(head * kTile * kTile), kTile * kTile);
  }
  void add(Index head, Index s, Index t) {
    bias.add_to({.data = tile(head).data(),
                 .rows = kTile,
                 .cols = kTile,
                 .stride = kTile,
                 .head = head,
                 .first_query = s,
                 .first_key = t});
  }
  template <typename Visit>
  void for_each_tile(Index threads, const Visit& visit) {
    parallel_for(sizes.heads, threads, [&](Index first, Index last) {
      for (Index head = first; head < last; ++head)
        for (Index s = 0; s < sizes.n; s += kTile)
          for (Index t = 0; t < sizes.n; t += kTile) visit(head, s, t);
    });
  }

  Sizes sizes;
  BiasRows bias;
  std::vector<float> tiles;
};

std::string tile_fault(TileJob& job) {
  std::string fault;
  job.for_each_tile(1, [&](Index head, Index s, Index t) {
    const std::span<float> tile = job.tile(head);
    std::ranges::fill(tile, 0.0F);
    job.add(head, s, t);
    for (Index i = 0; i < kTile; ++i)
      for (Index j = 0; j < kTile; ++j)
        if (fault.empty() &&
            !right(job.sizes, head, s + i, t + j, tile[static_cast<std::size_t>(i * kTile + j)]))
          fault = fault_at(head, s + i, t + j);
  });
  return fault;
}

BenchWork tile_work(const BenchSize& size) {
  const Sizes sizes = sizes_of(size);
  const auto job = std::make_shared<TileJob>(sizes);
  const auto flip = [job, size] {
    job->for_each_tile(size.threads, [&job](Index head, Index, Index) {
      read_and_write(job->tile(head), 1).run();
      keep_memory();
    });
  };
  return {.size = fmt::format("{} heads x {} x {} in tiles of {} x {}, f32", sizes.heads, sizes.n,
                              sizes.n, kTile, kTile),
          .amount = logit_bytes(sizes),
          .run =
              [job, size] {
                job->for_each_tile(size.threads,
                                   [&job](Index head, Index s, Index t) { job->add(head, s, t); });
              },
          .fault = [job] { return tile_fault(*job); },
          .plain = {kReadAndWrite, flip}};
}

}  // namespace

void register_alibi(BenchRegistry& cases) {
  cases.add({.name = "alibi-matrix",
             .measures = "the bias of ALiBi as a matrix, lists by lag included",
             .goals = {{"R6", kFill, 0.85}, {"R6", "torch", 10.0}},
             .bytes = [](const BenchSize& size) { return 1.1 * logit_bytes(sizes_of(size)); },
             .prepare = matrix_work});
  cases.add({.name = "alibi-fused",
             .measures = "the bias of ALiBi added to tiles of logits, without a matrix",
             .bytes = [](const BenchSize&) { return 1e7; },
             .prepare = tile_work});
}

}  // namespace sextant
