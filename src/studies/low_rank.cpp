// SPDX-License-Identifier: Apache-2.0
// Whether coordinates that fit the corpus make a better model: MDS coordinates of rank r times a
// learned map, against random codes of the same norms times such a map, no positions, and a free
// table.
#include <fmt/format.h>

#include <cmath>

#include "base/rng.h"
#include "geometry/hellinger.h"
#include "training/mlm_study.h"
#include "training/statistics.h"

namespace sextant {
namespace {

constexpr StudyInfo kInfo = {
    .name = "low_rank",
    .title = "Low-rank MDS coordinates as an encoding",
    .claim = "T11",
    .question = "Does an encoding with the corpus' own geometry predict masked tokens better?",
    .controls =
        "random codes of the same rank and norms, drawn for each seed, so that only the geometry "
        "differs; no encoding; a free table, which has all of the numbers",
    .needs_corpus = true,
};

constexpr Index kRank = 3;
constexpr const char *kMds = "mds", *kRandom = "random codes", *kFree = "free table",
                     *kNone = "none";
constexpr const char* kArms[] = {kMds, kRandom, kFree, kNone};
constexpr double kLevel = 0.05;
constexpr std::uint64_t kCodeSeed = 0x636F646573000001;

Matrix mds_points(const StudySetup& setup) {
  return classical_mds(gram_of_squared(squares(mlm_target(setup))), kRank).points;
}

// Directions are random, norms those of the points.
Matrix random_codes(const Matrix& points, std::uint64_t seed) {
  Matrix codes(points.rows(), points.cols());
  const Rng rng(kCodeSeed, seed);
  std::uint64_t draw = 0;
  const auto norm = [](std::span<const double> row) {
    double sum = 0.0;
    for (const double x : row) sum += x * x;
    return std::sqrt(sum);
  };
  for (Index i = 0; i < codes.rows(); ++i) {
    for (double& x : codes.row(i)) x = rng.normal(draw++);
    const double scale = norm(points.row(i)) / norm(codes.row(i));
    for (double& x : codes.row(i)) x *= scale;
  }
  return codes;
}

// Every seed has codes of its own: what one draw is worth by luck is part of the spread.
void add_random_codes(std::vector<StudyTrial>& plan, const Trial& trial, const Matrix& points,
                      const StudySetup& setup) {
  StudySetup one = setup;
  one.seeds = 1;
  for (Index i = 0; i < setup.seeds; ++i) {
    one.seed = setup.seed + static_cast<std::uint64_t>(i);
    const std::string file = fmt::format("codes-{}.npy", one.seed);
    add_arm(plan, kRandom, trial,
            encoding_of_rows("mds", random_codes(points, one.seed), file, setup), one);
  }
}

std::vector<StudyTrial> plan(const StudySetup& setup) {
  const Matrix points = mds_points(setup);
  Trial fitted = mlm_trial(setup, "mlm");
  fitted.keep_rows = 0;
  const Trial plain = fitted;
  fitted.learn = {"mds"};
  std::vector<StudyTrial> result;
  add_arm(result, kMds, fitted, encoding_of_rows("mds", points, "mds.npy", setup), setup);
  add_random_codes(result, fitted, points, setup);
  add_arm(result, kFree, plain, "learned", setup);
  add_arm(result, kNone, plain, "none", setup);
  return result;
}

// Only random codes differ from the coordinates in nothing but the geometry.
std::string words_of(std::string_view other, double difference, bool tells) {
  if (!tells) return "these seeds cannot tell them apart";
  if (other != kRandom) return difference < 0.0 ? "mds is better" : "mds is worse";
  return difference < 0.0 ? "the geometry of the corpus helps"
                          : "the geometry of the corpus is no help";
}

// The arms after the first against it, on the seeds that both finished.
std::vector<std::string> comparisons(std::span<const StudyNumber> losses) {
  std::vector<PairedComparison> tests;
  std::vector<double> p;
  for (const StudyNumber& other : losses.subspan(1)) {
    tests.push_back(paired_comparison(losses[0].by_seed(), other.by_seed()));
    if (tests.back().p_t) p.push_back(*tests.back().p_t);
  }
  const std::vector<double> corrected = holm(p);
  std::vector<std::string> sentences;
  std::size_t next = 0;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const std::string& other = losses[i + 1].arm;
    const PairedComparison& test = tests[i];
    if (!test.difference) {
      sentences.push_back(fmt::format("mds against {}: no seed finished in both.", other));
      continue;
    }
    std::string with = " over one seed";
    bool tells = false;
    if (test.p_t) {
      tells = corrected[next] < kLevel;
      with = fmt::format(" over {} seeds, p = {:.3g} with Holm's correction for {} test{}",
                         test.pairs, corrected[next++], p.size(), p.size() == 1 ? "" : "s");
    }
    sentences.push_back(fmt::format("mds against {}: the loss differs by {:+.4f}{}: {}.", other,
                                    *test.difference, with,
                                    words_of(other, *test.difference, tells)));
  }
  return sentences;
}

StudyFindings analyse(const StudySetup&, std::span<const StudyOutcome> outcomes) {
  StudyFindings findings;
  for (const char* arm : kArms)
    findings.numbers.push_back(measured(outcomes, arm, "loss", tested(TrialMetric::kLoss)));
  for (std::size_t i = 0; i + 1 < std::size(kArms); ++i) {
    findings.numbers[i].control = kNone;
    findings.numbers[i].against = findings.numbers.back().mean();
  }
  findings.sentences = comparisons(findings.numbers);
  return findings;
}

}  // namespace

void register_low_rank(StudyRegistry& registry) { registry.add(kInfo, plan, analyse); }

}  // namespace sextant
