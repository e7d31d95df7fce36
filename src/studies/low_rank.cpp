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
        "random codes of the same rank and norms, so that only the geometry differs; no encoding; "
        "a "
        "free table, which has all of the numbers",
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
Matrix random_codes(const Matrix& points) {
  Matrix codes(points.rows(), points.cols());
  const Rng rng(kCodeSeed, 0);
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

std::vector<StudyTrial> plan(const StudySetup& setup) {
  const Matrix points = mds_points(setup);
  Trial fitted = mlm_trial(setup, "mlm");
  fitted.keep_rows = 0;
  const Trial plain = fitted;
  fitted.learn = {"mds"};
  std::vector<StudyTrial> result;
  add_arm(result, kMds, fitted, encoding_of_rows("mds", points, "mds.npy", setup), setup);
  add_arm(result, kRandom, fitted,
          encoding_of_rows("mds", random_codes(points), "codes.npy", setup), setup);
  add_arm(result, kFree, plain, "learned", setup);
  add_arm(result, kNone, plain, "none", setup);
  return result;
}

std::string comparison(std::string_view other, const StudyNumber& mds, const StudyNumber& control) {
  if (mds.values.empty() || mds.values.size() != control.values.size())
    return fmt::format("mds against {}: seeds are missing.", other);
  const PairedComparison test = paired_comparison(mds.values, control.values);
  const bool tells = test.p_t.value_or(1.0) < kLevel;
  return fmt::format(
      "mds against {}: loss {:.4f} against {:.4f}{}: {}.", other, mds.mean(), control.mean(),
      test.p_t ? fmt::format(", p = {:.3g} over {} seeds", *test.p_t, test.pairs) : "",
      !tells                  ? "these seeds cannot tell them apart"
      : test.difference < 0.0 ? "the geometry of the corpus helps"
                              : "the geometry of the corpus is no help");
}

StudyFindings analyse(const StudySetup&, std::span<const StudyOutcome> outcomes) {
  StudyFindings findings;
  for (const char* arm : kArms)
    findings.numbers.push_back(measured(outcomes, arm, "loss", tested(TrialMetric::kLoss)));
  for (std::size_t i = 0; i + 1 < std::size(kArms); ++i) {
    findings.numbers[i].control = kNone;
    findings.numbers[i].against = findings.numbers.back().mean();
  }
  for (std::size_t i = 1; i < std::size(kArms); ++i)
    findings.sentences.push_back(comparison(kArms[i], findings.numbers[0], findings.numbers[i]));
  return findings;
}

}  // namespace

void register_low_rank(StudyRegistry& registry) { registry.add(kInfo, plan, analyse); }

}  // namespace sextant
