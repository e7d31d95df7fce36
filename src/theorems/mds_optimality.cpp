// SPDX-License-Identifier: Apache-2.0
// T4: whether classical scaling has the least stress.
//
// Three one-hot laws lie at mutual distance sqrt 2, so that B = I - 11^T/3 has the eigenvalue 1
// twice and any unit vector u orthogonal to 1 is a best line for classical scaling. Its stress is
// (9 - 4 sqrt 2 (max u - min u)) / 6, between 1/6 and 3/2 - 2/sqrt 3; points at -a, 0, a with
// a = 2 sqrt 2 / 3 have 1/9, and no line has less.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/rng.h"
#include "sextant/theorem.h"
#include "theory/example_laws.h"
#include "theory/verdict.h"

namespace sextant {
namespace {

constexpr std::string_view kConditions[] = {
    "stress is sum (d - |x_i - x_j|)^2 / sum d^2 over the pairs (normalised raw stress)",
    "classical scaling minimises strain |B - X X^T|^2, which is another thing",
    "with as many dimensions as B has positive eigenvalues, and none negative, stress is 0",
    "SMACOF stands beside it: it descends in stress to a minimum nearby, not always the least",
};

constexpr TheoremInfo kInfo = {
    .id = "T4",
    .name = "mds_optimality",
    .title = "Optimality of classical MDS",
    .source = "Cirrincione, arXiv:2604.05217, Proposition 5, Algorithm 1",
    .claim =
        "the best achievable approximation to an information-optimal encoding is constructed by "
        "classical multidimensional scaling on the Hellinger distances; stress measures quality "
        "(read as: classical scaling has the least stress)",
    .statement =
        "classical scaling to r dimensions has the least strain (Eckart-Young); its stress is the "
        "least where r reaches the rank of B, and not in general below it",
    .conditions = kConditions,
};

constexpr double kBestAngle = 1.0 / 6.0;
constexpr double kWorstAngle = 1.5 - 2.0 / std::numbers::sqrt3;
constexpr double kLeastStress = 1.0 / 9.0;
constexpr int kAngles = 360;         // a degree each: both extremes are among them
constexpr double kRounding = 1e-12;  // of stress and, relative to |B|^2, of strain
constexpr Index kPoints = 10, kWords = 16, kInstances = 20;  // of the random study, per rank

double strain(const Matrix& gram, const Matrix& points) {
  double sum = 0.0;
  for (Index i = 0; i < gram.rows(); ++i) {
    for (Index j = 0; j < gram.rows(); ++j) {
      double product = 0.0;
      for (Index k = 0; k < points.cols(); ++k) product += points(i, k) * points(j, k);
      sum += (gram(i, j) - product) * (gram(i, j) - product);
    }
  }
  return sum;
}

// The eigenvector at this angle of the double eigenvalue, as three points on a line.
Matrix line_at(double angle) {
  Matrix points(3, 1);
  for (Index i = 0; i < 3; ++i)
    points(i, 0) = std::sqrt(2.0 / 3.0) *
                   std::cos(angle - 2.0 * std::numbers::pi * static_cast<double>(i) / 3.0);
  return points;
}

// What both methods make of one target at one rank.
struct Scaled {
  double classical = 0.0, smacof = 0.0;                // stress
  double classical_strain = 0.0, smacof_strain = 0.0;  // over |B|^2

  Scaled(const DistanceMatrix& target, Index rank) {
    const Matrix gram = gram_of_distances(target);
    const double norm = strain(gram, Matrix(gram.rows(), 1));
    const Embedding embedding = classical_mds(gram, rank);
    const SmacofResult better = sextant::smacof(target, embedding.points);
    classical = raw_stress(target, embedding.points);
    smacof = better.stress_raw;
    classical_strain = strain(gram, embedding.points) / norm;
    smacof_strain = strain(gram, better.points) / norm;
  }

  bool improved() const { return smacof < classical - kRounding; }
  bool strain_is_least() const { return classical_strain <= smacof_strain + kRounding; }
};

struct Study {
  Index instances = 0, improved = 0, worse = 0, not_least_strain = 0;
  double full_rank_stress = 0.0;  // the largest of classical scaling
  Vector classical, smacof;       // mean stress by rank

  explicit Study(std::uint64_t seed) {
    for (Index rank = 1; rank < kPoints; ++rank) {
      double sum = 0.0, least = 0.0;
      for (Index k = 0; k < kInstances; ++k) {
        const std::uint64_t draw = Rng(seed, 1).at(static_cast<std::uint64_t>(k));
        const Scaled scaled(hellinger_of_laws(random_laws(kPoints, kWords, draw)), rank);
        sum += scaled.classical / static_cast<double>(kInstances);
        least += scaled.smacof / static_cast<double>(kInstances);
        if (rank + 1 == kPoints) {
          full_rank_stress = std::max(full_rank_stress, scaled.classical);
          continue;
        }
        ++instances;
        improved += scaled.improved() ? 1 : 0;
        worse += scaled.smacof > scaled.classical + kRounding ? 1 : 0;
        not_least_strain += scaled.strain_is_least() ? 0 : 1;
      }
      classical.push_back(sum);
      smacof.push_back(least);
    }
  }
};

struct OneHot {
  DistanceMatrix target = hellinger_of_laws(Matrix::identity(3));
  Scaled scaled{target, 1};
  double best = std::numeric_limits<double>::infinity(), worst = 0.0;  // over the angles
  double most_after = 0.0;  // SMACOF's largest stress from any of these starts

  OneHot() {
    for (int k = 0; k < kAngles; ++k) {
      const Matrix line = line_at(2.0 * std::numbers::pi * k / kAngles);
      const double stress = raw_stress(target, line);
      best = std::min(best, stress);
      worst = std::max(worst, stress);
      most_after = std::max(most_after, smacof(target, line).stress_raw);
    }
  }
};

std::vector<Finding> one_hot_findings(const OneHot& found) {
  const Scaled& scaled = found.scaled;
  return {{.part = "three one-hot laws, r=1, best angle",
           .quantity = "stress of classical scaling, against the least of any line",
           .observed = found.best,
           .bound = found.most_after,
           .verdict = holds_if(found.best <= found.most_after + kRounding),
           .remark = fmt::format("closed form 1/6 = {:.6f}; the bound is attained by SMACOF",
                                 kBestAngle)},
          {.part = "three one-hot laws, r=1, worst angle",
           .quantity = "stress of classical scaling, against the least of any line",
           .observed = found.worst,
           .bound = found.most_after,
           .verdict = holds_if(found.worst <= found.most_after + kRounding),
           .remark = fmt::format("closed form 3/2 - 2/sqrt 3 = {:.6f}", kWorstAngle)},
          {.part = "three one-hot laws, r=1, as LAPACK chooses",
           .quantity = "stress of classical scaling, between best and worst angle",
           .observed = scaled.classical,
           .lower = kBestAngle,
           .bound = kWorstAngle,
           .verdict = holds_if(scaled.classical >= kBestAngle - kRounding &&
                               scaled.classical <= kWorstAngle + kRounding),
           .remark = "the eigenvalue is double: which line is an accident of the solver"},
          {.part = "three one-hot laws, r=1, SMACOF",
           .quantity = "largest stress over all starts above, against 1/9",
           .observed = found.most_after,
           .bound = kLeastStress,
           .verdict = holds_if(std::abs(found.most_after - kLeastStress) <= 1e-9),
           .remark = "points at -a, 0, a with a = 2 sqrt 2 / 3"},
          {.part = "three one-hot laws, r=1",
           .quantity = "strain of classical scaling over |B|^2, against SMACOF's",
           .observed = scaled.classical_strain,
           .bound = scaled.smacof_strain,
           .verdict = holds_if(scaled.strain_is_least()),
           .remark = "least strain is what Eckart and Young promise"}};
}

std::vector<Finding> random_findings(const Study& study) {
  const std::string part = fmt::format("{} random Hellinger matrices, n={}, r=1..{}",
                                       study.instances, kPoints, kPoints - 2);
  return {{.part = part,
           .quantity = "share in which SMACOF has strictly less stress than classical scaling",
           .observed = static_cast<double>(study.improved) / static_cast<double>(study.instances),
           .bound = 0.0,
           .verdict = holds_if(study.improved == 0),
           .remark = "eigenvalues are simple here: it is no matter of ties"},
          {.part = part,
           .quantity = "cases in which SMACOF has more stress than classical scaling",
           .observed = static_cast<double>(study.worse),
           .bound = 0.0,
           .verdict = holds_if(study.worse == 0)},
          {.part = part,
           .quantity = "cases in which SMACOF has less strain than classical scaling",
           .observed = static_cast<double>(study.not_least_strain),
           .bound = 0.0,
           .verdict = holds_if(study.not_least_strain == 0)},
          {.part = fmt::format("n={}, r={}: full rank", kPoints, kPoints - 1),
           .quantity = "largest stress of classical scaling",
           .observed = study.full_rank_stress,
           .bound = kRounding,
           .verdict = holds_if(study.full_rank_stress <= kRounding),
           .remark = "Hellinger distances are Euclidean, so that nothing is lost"}};
}

Figure study_figure(const Study& study) {
  Figure figure{.title = "Stress of random Hellinger matrices by rank",
                .x_label = "rank r",
                .y_label = "mean normalised raw stress",
                .curves = {{.name = "classical scaling", .x = {}, .y = study.classical},
                           {.name = "SMACOF", .x = {}, .y = study.smacof}}};
  for (Figure::Curve& curve : figure.curves)
    for (Index rank = 1; rank < kPoints; ++rank) curve.x.push_back(static_cast<double>(rank));
  return figure;
}

// What the findings show, in the order: strain, full rank, stress.
std::string reason_of(const OneHot& one_hot, const Study& study, bool least) {
  const bool strain_is_least = one_hot.scaled.strain_is_least() && study.not_least_strain == 0;
  return fmt::format(
      "read as least stress: classical scaling has {}, {} at full rank, {} below it: three one-hot "
      "laws on a line have {:.4f} at best and {:.4f} at worst where SMACOF attains {:.4f}, which "
      "also has less in {} of {} random cases",
      strain_is_least ? "the least strain, as Eckart and Young promise" : "not the least strain",
      study.full_rank_stress <= kRounding ? "stress 0"
                                          : fmt::format("stress {:.2g}", study.full_rank_stress),
      least ? "and the least stress" : "but not the least stress", one_hot.best, one_hot.worst,
      one_hot.most_after, study.improved, study.instances);
}

TheoremCheck check(const TheoremOptions& options) {
  const OneHot one_hot;
  const Study study(options.seed);
  TheoremCheck result;
  result.findings = one_hot_findings(one_hot);
  for (Finding& finding : random_findings(study)) result.findings.push_back(std::move(finding));
  const bool least = one_hot.best <= one_hot.most_after + kRounding && study.improved == 0;
  result.verdict = least ? ClaimVerdict::kHoldsUnderConditions : ClaimVerdict::kViolated;
  result.figures = {study_figure(study)};
  result.reason = reason_of(one_hot, study, least);
  return result;
}

}  // namespace

void register_mds_optimality(TheoremRegistry& registry) { registry.add(kInfo, check); }

}  // namespace sextant
