// SPDX-License-Identifier: Apache-2.0
// What the geometry paper says of its construction without data: ranks, numbers to store, and the
// stress of three points on a line.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "corpus/synthetic.h"
#include "geometry/hellinger.h"
#include "geometry/induced.h"
#include "geometry/target.h"
#include "sextant/registry.h"
#include "training/reproduction.h"

namespace sextant {
namespace {

constexpr ReproductionInfo kInfo = {
    .name = "mds",
    .source = "Cirrincione, arXiv:2604.05217, proposition 5 and minimal parametrisation",
    .method =
        "Hellinger distances of known laws (two Zipf laws that drift into each other, 24 "
        "positions, 100 types), and of three one-hot laws"};

constexpr Index kDim = 64;
constexpr Index kBertPositions = 512, kBertDim = 768;
constexpr Index kAlibiPositions = 64;
constexpr int kAngles = 3600;

// The largest rank r with r(n+d) < nd.
constexpr Index kEvenRank = (kBertPositions * kBertDim - 1) / (kBertPositions + kBertDim);

double numbers(Index rank, Index n, Index d) { return static_cast<double>(rank * (n + d)); }

std::vector<PublishedCell> cells() {
  const SyntheticCorpus corpus;
  const Index n = corpus.positions;
  constexpr const char* kMinimal = "minimal parametrisation: r(n+d) instead of nd";
  PublishedCell drift =
      computed_cell("drifting laws / r(n+d) numbers", kMinimal, fmt::format("{}", n * kDim),
                    fmt::format("n={}, d={}, r = rank(B)", n, kDim), Relation::kBelow);
  drift.readings.push_back({.condition = "r is taken to hold 99 % of the trace of B"});
  PublishedCell largest = computed_cell(
      "BERT-base, r = n-1 / r(n+d) numbers", kMinimal, fmt::format("{}", kBertPositions * kBertDim),
      fmt::format("n={}, d={}, the largest rank", kBertPositions, kBertDim), Relation::kBelow);
  largest.readings.push_back({.condition = fmt::format("r is at most {}", kEvenRank)});
  PublishedCell classical = computed_cell(
      "three one-hot laws / stress of classical scaling on a line", "proposition 5, three points",
      "1/6", "raw stress; the leading eigenvalue is double");
  classical.readings = {{},
                        {.condition = "the best eigenvector of the double eigenvalue is taken"}};
  return {
      computed_cell("drifting laws / rank(B)", "abstract: r = rank(B) <= n-1",
                    fmt::format("{}", n - 1), fmt::format("n={}", n), Relation::kAtMost),
      std::move(drift),
      std::move(largest),
      computed_cell("ALiBi / rank of the Gram matrix of its distances",
                    "abstract: 'rank-1 interpretation'", "1",
                    fmt::format("alibi, n={}, the bias read as a distance", kAlibiPositions)),
      std::move(classical),
      computed_cell("three one-hot laws / least stress on a line", "proposition 5, three points",
                    "1/9", "SMACOF from classical scaling, raw stress")};
}

double raw_stress(const DistanceMatrix& target, Matrix points) {
  const DistanceMatrix* const targets[] = {&target};
  return pair_sums(targets, *distances_of_rows(std::move(points))).front().raw();
}

// The plane of the double eigenvalue 1 of three one-hot laws, turned by an angle.
double best_angle(const DistanceMatrix& target) {
  double best = 1.0;
  for (int i = 0; i < kAngles; ++i) {
    const double angle = std::numbers::pi * i / kAngles;
    Matrix points(3, 1);
    for (Index k = 0; k < 3; ++k)
      points(k, 0) = std::sqrt(2.0 / 3.0) *
                     std::cos(angle + 2.0 * std::numbers::pi * static_cast<double>(k) / 3.0);
    best = std::min(best, raw_stress(target, std::move(points)));
  }
  return best;
}

double alibi_rank() {
  const Extent extent{.positions = kAlibiPositions, .dim = kDim, .heads = 12};
  std::vector<Index> positions;
  for (Index i = 0; i < kAlibiPositions; ++i) positions.push_back(i);
  const Effects effects = encodings().make("alibi")->effects(extent);
  const Induced line = induced_distances(effects, extent, Rule::kLine, positions);
  const Matrix gram = gram_of_squared(squares(stored(*line.distances)));
  return static_cast<double>(ranks(eigenvalues(gram)).numerical);
}

void compute(std::span<PublishedCell> cells, const ReproductionContext&) {
  const SyntheticCorpus corpus;
  const Target target = target_of_distributions(corpus.laws(), {});
  const Index n = corpus.positions;
  cells[0].readings[0].ours = static_cast<double>(target.ranks.numerical);
  cells[1].readings[0].ours = numbers(target.ranks.numerical, n, kDim);
  cells[1].readings[1].ours = numbers(target.ranks.share99, n, kDim);
  cells[2].readings[0].ours = numbers(kBertPositions - 1, kBertPositions, kBertDim);
  cells[2].readings[1].ours = numbers(kEvenRank, kBertPositions, kBertDim);
  cells[3].readings[0].ours = alibi_rank();

  DistanceMatrix three(3);
  std::ranges::fill(three.values(), std::numbers::sqrt2);
  const Embedding line = classical_mds(gram_of_squared(squares(three)), 1);
  cells[4].readings[0].ours = raw_stress(three, line.points);
  cells[4].readings[1].ours = best_angle(three);
  cells[5].readings[0].ours = smacof(three, line.points, 10000, 1e-14).stress_raw;
}

}  // namespace

void register_mds(ReproductionRegistry& registry) { registry.add(kInfo, cells, compute); }

}  // namespace sextant
