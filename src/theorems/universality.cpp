// SPDX-License-Identifier: Apache-2.0
// T6: what transformers of a fixed length can represent, and what no weights can.
//
// Two measurements. A target that the residual symmetry (T1') forbids: y_t = t on constant input.
// And learning random maps by heart: features of a random wide model with a linear read-out, whose
// rank is at most the number of orbits of (sequence, position) pairs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sextant/theorem.h"
#include "theory/memorisation.h"
#include "theory/subject.h"
#include "theory/used_size.h"
#include "theory/verdict.h"

namespace sextant {
namespace {

constexpr std::string_view kConditions[] = {
    "the length N is fixed; nothing follows for N' > N",
    "rows are added to the input, or the symmetry is broken otherwise (a BOS token, values with "
    "positions)",
    "width may grow with N and with the accuracy",
    "without input rows: maps that respect the residual symmetry (T1') only",
};

constexpr TheoremInfo kInfo = {
    .id = "T6",
    .name = "universality",
    .title = "Universality at fixed length",
    .source = "Li, arXiv:2506.06398, universal approximation at fixed N",
    .claim = "for a fixed length transformers with various encoding schemes are universal",
    .statement =
        "at fixed N the pairs (sequence, position) that a model can tell apart are those that the "
        "residual symmetry leaves apart: all of them with input rows",
    .conditions = kConditions,
};

constexpr Index kMostTokens = 64;
constexpr Index kShortest = 4, kLongest = 8;
constexpr Index kMostSequences = 64;
constexpr double kRounding = 1e-9;  // of mean squared errors, relative

constexpr std::string_view kUsual[] = {"none", "alibi", "rope", "sinusoidal", "learned"};

struct Obstruction {
  Index obstructed = 0, free = 0;
};

// The best read-out of t from the outputs on a constant sequence. A constant output leaves the
// variance of 1..N.
Finding obstruction_finding(const Subject& subject, const TheoremOptions& options,
                            Obstruction& count) {
  const Index n = std::min(options.train, kMostTokens);
  const auto length = static_cast<double>(n);
  const double variance = (length * length - 1.0) / 12.0;
  Finding finding = subject_finding(
      subject, "least mean squared error of y_t = t on constant input", [&](Finding& result) {
        const Matrix token = random_tokens(1, subject.shape.dim, options.seed);
        Matrix x(n, subject.shape.dim);
        for (Index t = 0; t < n; ++t) std::ranges::copy(token.row(0), x.row(t).begin());
        Vector targets(static_cast<std::size_t>(n));
        std::iota(targets.begin(), targets.end(), 1.0);
        result.observed = readout_error(
            forward(Transformer::random(subject.shape, options.seed), subject.effects(n), x),
            targets);
        result.bound = variance;
        if (!std::isfinite(result.observed)) {
          result.remark = "not judged: outputs are not finite";
          return;
        }
        const bool stuck = result.observed >= variance * (1.0 - kRounding);
        result.verdict = holds_if(!stuck);
        result.remark = stuck ? "outputs are constant: no weights and no read-out do better"
                              : "below the variance of 1..N: positions can be read off";
        ++(stuck ? count.obstructed : count.free);
      });
  finding.part = fmt::format("{}, N={}", subject.spec, used_size(n, options.train));
  return finding;
}

ClaimVerdict rank_verdict(const Memorisation& result) {
  if (result.rank > result.orbits) return ClaimVerdict::kViolated;
  if (result.rank < result.distinct) return ClaimVerdict::kNotTestable;
  return result.rank == result.pairs ? ClaimVerdict::kHolds : ClaimVerdict::kHoldsUnderConditions;
}

std::string rank_remark(const Memorisation& result) {
  std::string text = fmt::format(
      "{} pairs in {} orbits; a random map is left with mean square {:.2g}, by symmetry at least "
      "{:.2g}",
      result.pairs, result.orbits, result.error, result.least);
  if (result.distinct < result.orbits)
    text +=
        fmt::format("; {} orbits share their output with another", result.orbits - result.distinct);
  if (result.rank < result.distinct)
    text += fmt::format("; {} outputs differ: more units or more digits would tell them apart",
                        result.distinct);
  return text;
}

Finding memory_finding(const Subject& subject, Index n, const TheoremOptions& options,
                       Figure::Curve& curve) {
  Finding finding = subject_finding(
      subject, "rank of the features over (sequence, position) pairs", [&](Finding& found) {
        const Effects effects = subject.effects(n);
        const Memorisation result =
            memorise(Transformer::random(subject.shape, options.seed), effects,
                     ResidualSymmetry::of(effects, subject.shape, n),
                     binary_sequences(n, kMostSequences, options.seed), options.seed);
        found.observed = static_cast<double>(result.rank);
        found.bound = static_cast<double>(result.orbits);
        found.verdict = rank_verdict(result);
        found.remark = rank_remark(result);
        curve.x.push_back(static_cast<double>(n));
        curve.y.push_back(result.error);
      });
  finding.part = fmt::format("{}, random maps, N={}", subject.spec, n);
  return finding;
}

void add_memory(const TheoremOptions& options, TheoremCheck& result) {
  Figure figure{.title = "What learning by heart leaves of a random map",
                .x_label = "length N",
                .y_label = "mean squared error",
                .curves = {}};
  const std::vector<std::string> specs =
      options.encodings.empty() ? std::vector<std::string>(std::begin(kUsual), std::end(kUsual))
                                : options.encodings;
  for (const std::string& spec : specs) {
    const Subject subject = theorem_subject(spec, options);
    Figure::Curve curve{.name = spec, .x = {}, .y = {}};
    for (Index n = kShortest; n <= kLongest; ++n)
      result.findings.push_back(memory_finding(subject, n, options, curve));
    figure.curves.push_back(std::move(curve));
  }
  result.figures = {std::move(figure)};
}

TheoremCheck check(const TheoremOptions& options) {
  TheoremCheck result;
  Obstruction count;
  double worst = -1.0;  // the largest error that an encoding is left with
  for (const Subject& subject : theorem_subjects(options)) {
    Finding finding = obstruction_finding(subject, options, count);
    if (finding.verdict != ClaimVerdict::kNotTestable && finding.observed > worst) {
      worst = finding.observed;
      result.decisive = result.findings.size();
    }
    result.findings.push_back(std::move(finding));
  }
  if (count.obstructed + count.free == 0) {
    result.reason = "none of the encodings could be tried: see the findings";
    return result;
  }
  const std::size_t obstructions = result.findings.size();
  add_memory(options, result);
  const auto with = [&](ClaimVerdict verdict) {
    return std::ranges::count(result.findings, verdict, &Finding::verdict);
  };
  const bool beyond_symmetry = with(ClaimVerdict::kViolated) > count.obstructed;
  const auto limited = with(ClaimVerdict::kHoldsUnderConditions);
  result.verdict = beyond_symmetry                  ? ClaimVerdict::kViolated
                   : count.obstructed + limited > 0 ? ClaimVerdict::kHoldsUnderConditions
                                                    : ClaimVerdict::kHolds;
  // The longest random maps that carry the verdict, else the worst read-out.
  for (std::size_t i = obstructions; i < result.findings.size(); ++i)
    if (result.findings[i].verdict == result.verdict) result.decisive = i;
  result.reason = fmt::format(
      "{} of {} encodings cannot read t off constant input (mean squared error {:.4g} at worst) "
      "and {} can; random maps are learnt by heart in {} cases and up to the residual symmetry in "
      "{}; nothing follows for longer sequences",
      count.obstructed, count.obstructed + count.free, worst, count.free,
      with(ClaimVerdict::kHolds) - count.free, limited);
  return result;
}

}  // namespace

void register_universality(TheoremRegistry& registry) { registry.add(kInfo, check); }

}  // namespace sextant
