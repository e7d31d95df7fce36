// SPDX-License-Identifier: Apache-2.0
#include "geometry/score.h"

#include <algorithm>
#include <numeric>

#include "base/parallel.h"
#include "geometry/hellinger.h"

namespace sextant {
namespace {

constexpr Index kLargestSpectrum = 2048;  // beyond it negative mass is not computed

// The sums of one candidate against every version of the target.
struct CandidateSums {
  PairSums plain, corrected;
  std::vector<PairSums> null, plain_without, corrected_without;
};

std::vector<const DistanceMatrix*> pointers(const std::vector<DistanceMatrix>& list) {
  std::vector<const DistanceMatrix*> result;
  result.reserve(list.size());
  for (const DistanceMatrix& d : list) result.push_back(&d);
  return result;
}

std::vector<PairSums> all_sums(const Target& target,
                               const std::vector<DistanceMatrix>& corrected_without,
                               const Distances& candidate) {
  std::vector<const DistanceMatrix*> targets = {&target.plain};
  if (target.corrected) targets.push_back(&target.corrected->distances);
  for (const auto& list :
       {pointers(target.null), pointers(target.plain_without), pointers(corrected_without)})
    targets.insert(targets.end(), list.begin(), list.end());
  return pair_sums(targets, candidate);
}

// What all_sums() gives, by version of the target.
CandidateSums sorted_sums(const Target& target, std::span<const PairSums> sums,
                          std::size_t corrected_without) {
  CandidateSums result;
  auto next = sums.begin();
  const auto take = [&next](std::size_t count) {
    std::vector<PairSums> part(next, next + static_cast<std::ptrdiff_t>(count));
    next += static_cast<std::ptrdiff_t>(count);
    return part;
  };
  result.plain = take(1).front();
  if (target.corrected) result.corrected = take(1).front();
  result.null = take(target.null.size());
  result.plain_without = take(target.plain_without.size());
  result.corrected_without = take(corrected_without);
  return result;
}

template <typename Measure>
Vector measured(const std::vector<PairSums>& sums, const Measure& measure) {
  Vector result;
  for (const PairSums& s : sums) result.push_back(measure(s));
  return result;
}

const auto kRaw = [](const PairSums& s) { return s.raw(); };
const auto kScaled = [](const PairSums& s) { return s.scaled(); };

// Share of negative eigenvalues in the B of a candidate's own distances.
std::optional<double> negative_mass(const Candidate& candidate) {
  if (candidate.geometry == "rows" || candidate.control) return 0.0;
  if (candidate.distances->size() > kLargestSpectrum) return {};
  DistanceMatrix squared = stored(*candidate.distances);
  for (double& value : squared.values()) value *= value;
  return ranks(eigenvalues(gram_of_squared(squared))).negative_mass;
}

// What takes long for one candidate: the measures, then three numbers for each of the pair sums.
struct Measures {
  double spearman = 0.0, pearson = 0.0, spearman_corrected = 0.0, procrustes = 0.0;
  double has_negative_mass = 0.0, negative_mass = 0.0;
};
constexpr std::size_t kMeasures = sizeof(Measures) / sizeof(double);
constexpr std::size_t kNumbersOfSums = 3;

Vector numbers_of(const Target& target, const std::vector<DistanceMatrix>& corrected_without,
                  const Matrix& mds, const Candidate& candidate) {
  if (!candidate.distances) return {};
  const DistanceMatrix own = stored(*candidate.distances);
  const std::optional<double> mass = negative_mass(candidate);
  const double corrected =
      target.corrected ? spearman(target.corrected->distances.values(), own.values()) : 0.0;
  Vector numbers = {spearman(target.plain.values(), own.values()),
                    pearson(target.plain.values(), own.values()),
                    corrected,
                    procrustes_residual(mds, *candidate.distances),
                    mass ? 1.0 : 0.0,
                    mass.value_or(0.0)};
  for (const PairSums& s : all_sums(target, corrected_without, *candidate.distances))
    numbers.insert(numbers.end(), {s.dd, s.ee, s.de});
  return numbers;
}

std::pair<Measures, std::vector<PairSums>> read_numbers(std::span<const double> numbers) {
  const Measures measures{numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5]};
  std::vector<PairSums> sums;
  for (std::size_t k = kMeasures; k < numbers.size(); k += kNumbersOfSums)
    sums.push_back({.dd = numbers[k], .ee = numbers[k + 1], .de = numbers[k + 2]});
  return {measures, sums};
}

ScoreRow make_row(const Target& target, const Candidate& candidate, const Measures& measures,
                  const CandidateSums& sums) {
  ScoreRow row;
  row.candidate = &candidate;
  row.stress_raw = sums.plain.raw();
  row.stress_scaled = sums.plain.scaled();
  row.scale = sums.plain.scale();
  row.interval_raw = jackknife_interval(*row.stress_raw, measured(sums.plain_without, kRaw));
  row.interval_scaled =
      jackknife_interval(*row.stress_scaled, measured(sums.plain_without, kScaled));
  if (!sums.null.empty()) {
    const Vector null = measured(sums.null, kScaled);
    row.stress_null =
        std::accumulate(null.begin(), null.end(), 0.0) / static_cast<double>(null.size());
  }
  row.spearman = measures.spearman;
  row.pearson = measures.pearson;
  if (target.corrected) {
    row.stress_corrected = sums.corrected.scaled();
    row.interval =
        jackknife_interval(*row.stress_corrected, measured(sums.corrected_without, kScaled));
    row.spearman_corrected = measures.spearman_corrected;
  }
  row.procrustes = measures.procrustes;
  if (measures.has_negative_mass != 0.0) row.negative_mass = measures.negative_mass;
  return row;
}

// Sorts by corrected stress and marks what cannot be told apart. `sums` is ordered as the rows are.
void rank_rows(std::vector<ScoreRow>& rows, std::vector<CandidateSums>& sums) {
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t k) {
    const ScoreRow& row = rows[k];
    if (row.stress_corrected) return std::pair(0, *row.stress_corrected);
    if (row.stress_scaled) return std::pair(1, *row.stress_scaled);
    return std::pair(2, 0.0);
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::vector<ScoreRow> sorted;
  std::vector<const CandidateSums*> in_order;
  for (const std::size_t k : order) {
    sorted.push_back(rows[k]);
    in_order.push_back(&sums[k]);
  }
  rows = std::move(sorted);

  const auto difference = [&](std::size_t a, std::size_t b) {
    Difference result;
    result.to = rows[b].candidate->encoding + " " + rows[b].candidate->geometry;
    result.estimate = *rows[a].stress_corrected - *rows[b].stress_corrected;
    Vector without = measured(in_order[a]->corrected_without, kScaled);
    const Vector other = measured(in_order[b]->corrected_without, kScaled);
    for (std::size_t k = 0; k < without.size(); ++k) without[k] -= other[k];
    result.interval = jackknife_interval(result.estimate, without);
    return result;
  };
  const auto best = std::ranges::find_if(
      rows, [](const ScoreRow& row) { return row.stress_corrected && !row.candidate->control; });
  std::size_t leader = 0;
  Index group = 0;
  for (std::size_t k = 0; k < rows.size() && rows[k].stress_corrected; ++k) {
    if (best != rows.end() && !rows[k].candidate->control)
      rows[k].difference = difference(k, static_cast<std::size_t>(best - rows.begin()));
    const Difference apart = difference(k, leader);
    if (!apart.interval) continue;  // nothing can be said
    if (group == 0 || (*apart.interval)[0] > 0.0) {
      leader = k;
      ++group;
    }
    rows[k].group = group;
  }
}

}  // namespace

Score score(const Target& target, const Candidates& candidates, Index threads,
            Communicator& ranks) {
  std::vector<DistanceMatrix> corrected_without;
  if (target.corrected) {
    for (const DistanceMatrix& squared : target.corrected->squared_without)
      corrected_without.push_back(rooted(squared));
  }
  const Index n = target.plain.size();
  const Index rank = std::min(std::max<Index>(1, target.ranks.numerical), n);
  Matrix mds(n, rank);
  std::ranges::copy(from_root(ranks,
                              [&] {
                                const Matrix points =
                                    classical_mds(target.gram, rank, threads).points;
                                return Vector(points.values().begin(), points.values().end());
                              }),
                    mds.values().begin());

  const std::size_t count = candidates.list.size();
  const std::vector<Vector> numbers =
      spread(ranks, static_cast<Index>(count), threads, [&](Index c) {
        return numbers_of(target, corrected_without, mds,
                          candidates.list[static_cast<std::size_t>(c)]);
      });
  std::vector<ScoreRow> rows(count);
  std::vector<CandidateSums> sums(count);
  for (std::size_t k = 0; k < count; ++k) {
    const Candidate& candidate = candidates.list[k];
    rows[k].candidate = &candidate;
    if (!candidate.distances) continue;
    const auto [measures, pairs] = read_numbers(numbers[k]);
    sums[k] = sorted_sums(target, pairs, corrected_without.size());
    rows[k] = make_row(target, candidate, measures, sums[k]);
  }
  rank_rows(rows, sums);

  Score result;
  result.rows = std::move(rows);
  return result;
}

}  // namespace sextant
