// SPDX-License-Identifier: Apache-2.0
#include "geometry/target.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/memory.h"
#include "geometry/distance_values.h"
#include "geometry/hellinger.h"

namespace sextant {
namespace {

constexpr std::int64_t kFewSequences = 200;  // below this a position says nothing
constexpr double kUnreliable = 0.5;
constexpr Index kLeastPositions = 3;  // fewer left: nothing is excluded
constexpr Index kCeilingHalvings = 4;
constexpr Index kCeilingSplits = 5;

std::vector<ThinnedRoot> identity_roots(std::size_t n) {
  return std::vector<ThinnedRoot>(n, ThinnedRoot(1.0));
}

// The dense eigenproblem is solved by one rank.
Vector spectrum_of(const Matrix& gram, Communicator& ranks_of_job) {
  return from_root(ranks_of_job, [&gram] { return eigenvalues(gram); });
}

DistanceMatrix plain_distances(const Target& target, const TargetOptions& options) {
  const auto values = [&] {
    return values_of(
        metric_distances(options.metric, target.roots, target.sequences, options.threads));
  };
  return distances_from(target.roots.rows, from_root(*options.ranks, values));
}

// Thins every position to the smallest number of sequences among them.
std::vector<ThinnedRoot> thinned_to_least(std::span<const double> sequences) {
  const double least = *std::ranges::min_element(sequences);
  std::vector<ThinnedRoot> result;
  for (const double count : sequences) {
    result.push_back(result.empty() || result.back().keep() != least / count
                         ? ThinnedRoot(least / count)
                         : result.back());
  }
  return result;
}

void choose_positions(const PositionalCounts& counts, const TargetOptions& options,
                      Target& target) {
  std::vector<Index> occupied;
  for (Index i = 0; i < counts.options.positions; ++i) {
    const auto& blocks = counts.sequences_at[static_cast<std::size_t>(i)];
    target.counts.push_back(std::accumulate(blocks.begin(), blocks.end(), std::int64_t{0}));
    if (target.counts.back() > 0) occupied.push_back(i);
  }
  if (occupied.empty()) fail(ErrorCode::kMalformed, "corpus", "no sequence counts at any position");
  const BlockCells cells(counts, occupied);
  Vector reliability(target.counts.size(), 0.0);
  if (cells.occupied().count() >= 2) {
    const auto splits = random_splits(cells.occupied(), options.splits, options.seed);
    const Vector known = split_half_reliability(cells, splits, options.threads, *options.ranks);
    for (std::size_t k = 0; k < occupied.size(); ++k)
      reliability[static_cast<std::size_t>(occupied[k])] = known[k];
    target.reliability = reliability;
  }
  for (std::size_t i = 0; i < target.counts.size(); ++i) {
    const bool few = target.counts[i] < kFewSequences;
    if (!few && (target.reliability.empty() || reliability[i] >= kUnreliable)) {
      target.positions.push_back(static_cast<Index>(i));
      continue;
    }
    target.excluded.push_back({static_cast<Index>(i), target.counts[i], reliability[i],
                               few ? "fewer than 200 sequences" : "reliability below 0.5"});
  }
  if (static_cast<Index>(target.positions.size()) >= kLeastPositions) return;
  // Too little is reliable to be choosy: all that has data is used, and the signal fraction tells.
  target.positions = occupied;
  std::erase_if(target.excluded, [](const ExcludedPosition& e) { return e.count > 0; });
  for (ExcludedPosition& e : target.excluded) e.reason = "no sequences";
}

// For Hellinger distances a negative eigenvalue beyond rounding would contradict a theorem.
void check_euclidean(std::span<const double> eigenvalues) {
  // Roots of laws have norm 1: rounding is relative to that where all positions are close.
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  const double largest = std::max(eigenvalues.front(), 0.0), least = eigenvalues.back();
  if (least < -10.0 * static_cast<double>(eigenvalues.size()) * kEpsilon * std::max(largest, 1.0)) {
    fail(ErrorCode::kNumeric, "geometry",
         "the Gram matrix of Hellinger distances has the eigenvalue {} beside the largest {}",
         least, largest);
  }
}

// Squared Hellinger distances, perhaps negative, as squares in the metric; the sign is kept.
void to_metric(Metric metric, DistanceMatrix& squared) {
  if (metric != Metric::kFisherRao) return;
  for (double& value : squared.values()) value = std::copysign(squared_arc(std::abs(value)), value);
}

void add_null(const PositionalCounts& counts, const TargetOptions& options, Target& target) {
  if (counts.options.shuffles == 0) return;
  if (options.metric == Metric::kHellinger) {
    ShuffledNull null =
        shuffled_null(counts, target.positions, target.sequences, options.threads, *options.ranks);
    for (const DistanceMatrix& squared : null.squared) target.null.push_back(rooted(squared));
    target.null_eigenvalues = std::move(null.eigenvalues);
    target.null_largest = null.largest;
  } else {
    const auto distances = [&](Index r) {
      const SparseColumns roots =
          shuffled_roots(counts, static_cast<std::uint32_t>(r), target.positions);
      return values_of(metric_distances(options.metric, roots, target.sequences, 1));
    };
    for (Vector& values :
         spread(*options.ranks, counts.options.shuffles, options.threads, distances)) {
      target.null.push_back(distances_from(target.plain.size(), values));
      values = Vector();
      const Vector spectrum =
          spectrum_of(gram_of_squared(squares(target.null.back())), *options.ranks);
      target.null_eigenvalues.resize(spectrum.size());
      for (std::size_t k = 0; k < spectrum.size(); ++k)
        target.null_eigenvalues[k] += spectrum[k] / static_cast<double>(counts.options.shuffles);
      target.null_largest = std::max(target.null_largest, spectrum.front());
    }
  }
  const double above = target.null_largest * (1.0 + 1e-9);  // more than rounding
  target.rank_supported =
      std::ranges::count_if(target.eigenvalues, [&](double value) { return value > above; });
}

// Scaled stress between the corrected distances of two disjoint halves, mean over a few halvings.
std::optional<double> reliability_ceiling(const BlockCells& cells, const TargetOptions& options,
                                          std::span<const ThinnedRoot> root) {
  if (cells.occupied().count() < 4) return {};
  double sum = 0.0;
  for (const Split& halves :
       random_splits(cells.occupied(), kCeilingHalvings, options.seed + 0x6365696c)) {
    DistanceMatrix half[2];
    for (const int side : {0, 1}) {
      const auto quarters =
          random_splits(side == 0 ? halves.a : halves.b, kCeilingSplits, options.seed);
      for (const Split& split : quarters) {
        for (Index i = 0; i < cells.positions(); ++i) {
          if (cells.sequences(i, split.a) == 0 || cells.sequences(i, split.b) == 0) return {};
        }
      }
      DistanceMatrix squared =
          split_distances(cells, quarters, root, false, options.threads, *options.ranks).squared;
      to_metric(options.metric, squared);
      half[side] = rooted(squared);
    }
    const DistanceMatrix* const targets[] = {&half[0]};
    sum += pair_sums(targets, *distances_of(half[1])).front().scaled();
  }
  return sum / static_cast<double>(kCeilingHalvings);
}

// Hellinger and arcs: cross-validated. The others: the squared distance minus its mean over the
// shuffles, without intervals.
void add_corrected(const BlockCells& cells, const TargetOptions& options, Target& target) {
  const bool by_splits =
      options.metric == Metric::kHellinger || options.metric == Metric::kFisherRao;
  Corrected corrected;
  if (by_splits) {
    if (target.reliability.empty()) return;
    const auto splits = random_splits(cells.occupied(), options.splits, options.seed);
    for (const Split& split : splits) {
      for (Index i = 0; i < cells.positions(); ++i)
        if (cells.sequences(i, split.a) == 0 || cells.sequences(i, split.b) == 0) return;
    }
    const auto root = thinned_to_least(target.sequences);
    const bool intervals = options.intervals && can_jackknife(cells, splits);
    SplitDistances split =
        split_distances(cells, splits, root, intervals, options.threads, *options.ranks);
    corrected.squared = std::move(split.squared);
    corrected.squared_without = std::move(split.without);
    to_metric(options.metric, corrected.squared);
    for (DistanceMatrix& without : corrected.squared_without) to_metric(options.metric, without);
    if (intervals) {
      for (DistanceMatrix& squared :
           plain_squared_without_each(cells, options.threads, *options.ranks)) {
        to_metric(options.metric, squared);
        target.plain_without.push_back(rooted(squared));
      }
    }
    target.ceiling = reliability_ceiling(cells, options, root);
  } else {
    if (target.null.empty()) return;
    corrected.squared = squares(target.plain);
    for (const DistanceMatrix& null : target.null) {
      for (std::size_t k = 0; k < null.values().size(); ++k) {
        corrected.squared.values()[k] -=
            null.values()[k] * null.values()[k] / static_cast<double>(target.null.size());
      }
    }
  }
  corrected.distances = rooted(corrected.squared);
  corrected.eigenvalues = spectrum_of(gram_of_squared(corrected.squared), *options.ranks);
  target.corrected = std::move(corrected);
}

// The noise falls as N^-g. Two sizes are known: N, where it is what the correction took away, and
// N/2, the distance between the halves of one position.
void add_signal(std::int64_t used, Target& target) {
  if (!target.corrected) return;
  const double plain = mean(squares(target.plain)), signal = mean(target.corrected->squared);
  if (plain <= 0.0) return;
  target.signal_fraction = signal / plain;
  const double noise = plain - signal;
  if (signal <= 0.0 || noise <= 0.0 || target.metric != Metric::kHellinger) return;
  double halves = 0.0;
  for (const Index i : target.positions)
    halves += 2.0 - 2.0 * target.reliability[static_cast<std::size_t>(i)];
  halves /= static_cast<double>(target.positions.size());
  const double growth = std::clamp(std::log2(std::max(halves / noise, 1.0)), 0.25, 1.0);
  const double more = std::max(1.0, noise / signal);
  target.sequences_needed = static_cast<double>(used) * more;
  target.sequences_needed_at_this_rate = static_cast<double>(used) * std::pow(more, 1.0 / growth);
}

// d2 = 2 - 2 sqrt(S_i S_j) - 2 sqrt((1-S_i)(1-S_j)), S_i the share of sequences longer than i.
DistanceMatrix length_only_distances(const PositionalCounts& counts,
                                     std::span<const Index> positions) {
  Vector longer;
  for (const Index i : positions) {
    const auto with_token =
        std::accumulate(counts.lengths.begin() + i + 1, counts.lengths.end(), std::int64_t{0});
    longer.push_back(static_cast<double>(with_token) / static_cast<double>(counts.used));
  }
  DistanceMatrix squared(static_cast<Index>(positions.size()));
  auto out = squared.values().begin();
  for (std::size_t i = 0; i < longer.size(); ++i) {
    for (std::size_t j = i + 1; j < longer.size(); ++j) {
      *out++ = 2.0 - 2.0 * std::sqrt(longer[i] * longer[j]) -
               2.0 * std::sqrt((1.0 - longer[i]) * (1.0 - longer[j]));
    }
  }
  return rooted(squared);
}

void add_spectrum(Target& target, Communicator& ranks_of_job) {
  target.gram = gram_of_squared(squares(target.plain));
  target.eigenvalues = spectrum_of(target.gram, ranks_of_job);
  if (target.metric == Metric::kHellinger) check_euclidean(target.eigenvalues);
  target.ranks = ranks(target.eigenvalues);
  target.indistinguishable =
      std::ranges::all_of(target.plain.values(), [](double d) { return d == 0.0; });
}

}  // namespace

double target_bytes(Index n, const TargetOptions& options, Index shuffles, Index rows) {
  const double square = 8.0 * static_cast<double>(n) * static_cast<double>(n);
  // Versions without a block are held as squares and as distances, plain and corrected.
  const double matrices = static_cast<double>(shuffles) + 0.5 * static_cast<double>(8 + rows) +
                          (options.intervals ? 1.5 * static_cast<double>(kBlocks) : 0.0) +
                          3.0 * static_cast<double>(options.threads) + 6.0;
  return square * matrices;
}

Target make_target(const PositionalCounts& counts, const TargetOptions& options) {
  Target target;
  target.metric = options.metric;
  choose_positions(counts, options, target);
  const BlockCells cells(counts, target.positions);
  for (const Index i : target.positions)
    target.sequences.push_back(static_cast<double>(target.counts[static_cast<std::size_t>(i)]));
  target.roots = roots(cells, cells.occupied(), identity_roots(target.positions.size()));
  target.plain = plain_distances(target, options);
  add_spectrum(target, *options.ranks);
  add_null(counts, options, target);
  add_corrected(cells, options, target);
  if (options.metric == Metric::kHellinger)
    target.analytic_null_squared =
        distances_from(target.plain.size(), from_root(*options.ranks, [&] {
                         return values_of(analytic_null_squared(cells, options.threads));
                       }));
  add_signal(counts.used, target);
  add_floor(target);
  if (counts.options.length == LengthRule::kPadded)
    target.length_only = length_only_distances(counts, target.positions);
  return target;
}

Target target_of_distributions(const Matrix& laws, const TargetOptions& options) {
  if (laws.rows() == 0) fail(ErrorCode::kMalformed, "distributions", "no positions");
  Target target;
  target.metric = options.metric;
  target.roots.rows = laws.rows();
  for (Index i = 0; i < laws.rows(); ++i) {
    target.positions.push_back(i);
    target.counts.push_back(0);
    double sum = 0.0;
    for (const double p : laws.row(i)) {
      if (!(p >= 0.0))
        fail(ErrorCode::kMalformed, "distributions", "row {} has the entry {}", i, p);
      sum += p;
    }
    if (std::abs(sum - 1.0) > 1e-6)
      fail(ErrorCode::kMalformed, "distributions", "row {} must sum to 1 but sums to {}", i, sum);
    target.sequences.push_back(sum);
  }
  for (Index v = 0; v < laws.cols(); ++v) {
    for (Index i = 0; i < laws.rows(); ++i) {
      if (laws(i, v) == 0.0) continue;
      target.roots.row.push_back(static_cast<std::uint32_t>(i));
      target.roots.value.push_back(std::sqrt(laws(i, v)));
    }
    target.roots.starts.push_back(target.roots.row.size());
  }
  target.plain = plain_distances(target, options);
  add_spectrum(target, *options.ranks);
  add_floor(target);
  return target;
}

}  // namespace sextant
