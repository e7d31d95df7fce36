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
    "without input rows: maps that respect the residual symmetry (T1'), and not always all of them",
};

constexpr TheoremInfo kInfo = {
    .id = "T6",
    .name = "universality",
    .title = "Universality at fixed length",
    .source = "Li, arXiv:2506.06398, universal approximation at fixed N",
    .claim = "for a fixed length transformers with various encoding schemes are universal",
    .statement =
        "at fixed N a model tells apart at most the pairs (sequence, position) that the residual "
        "symmetry leaves apart: all of them with input rows",
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

// How many random maps are learnt: by heart, up to the residual symmetry, and short of it.
struct Learnt {
  Index cases = 0, all = 0, symmetric = 0, fewer = 0, beyond = 0;
  std::string example = {};  // of `fewer`, the first
};

Index read_tokens(const TheoremOptions& options) { return std::min(options.train, kMostTokens); }

// Of 1..n.
double variance(Index n) {
  const auto length = static_cast<double>(n);
  return (length * length - 1.0) / 12.0;
}

// The best read-out of t from the outputs on a constant sequence. A constant output leaves the
// variance of 1..N.
Finding obstruction_finding(const Subject& subject, const TheoremOptions& options,
                            Obstruction& count) {
  const Index n = read_tokens(options);
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
        result.bound = variance(n);
        if (!std::isfinite(result.observed)) {
          result.remark = "not judged: outputs are not finite";
          return;
        }
        const bool stuck = result.observed >= variance(n) * (1.0 - kRounding);
        result.verdict = holds_if(!stuck);
        result.remark = stuck ? "outputs are constant: no weights and no read-out do better"
                              : "below the variance of 1..N: positions can be read off";
        ++(stuck ? count.obstructed : count.free);
      });
  finding.part = fmt::format("{}, N={}", subject.spec, used_size(n, options.train));
  return finding;
}

// Orbits that share an output are a counterexample: not even the maps on orbits are all learnt.
ClaimVerdict rank_verdict(const Memorisation& result) {
  if (result.rank > result.orbits) return ClaimVerdict::kViolated;
  if (result.rank < result.distinct) return ClaimVerdict::kNotTestable;
  if (result.distinct < result.orbits) return ClaimVerdict::kViolated;
  return result.rank == result.pairs ? ClaimVerdict::kHolds : ClaimVerdict::kHoldsUnderConditions;
}

void count_case(const Memorisation& result, const std::string& name, Learnt& count) {
  switch (rank_verdict(result)) {
    case ClaimVerdict::kHolds:
      ++count.all;
      break;
    case ClaimVerdict::kHoldsUnderConditions:
      ++count.symmetric;
      break;
    case ClaimVerdict::kViolated:
      ++(result.rank > result.orbits ? count.beyond : count.fewer);
      if (count.example.empty() && result.rank <= result.orbits)
        count.example =
            fmt::format("{}: {} orbits have {} outputs", name, result.orbits, result.distinct);
      break;
    default:  // not decided
      break;
  }
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
                       Figure::Curve& curve, Learnt& count) {
  ++count.cases;
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
        count_case(result, fmt::format("{}, N={}", subject.spec, n), count);
        curve.x.push_back(static_cast<double>(n));
        curve.y.push_back(result.error);
      });
  finding.part = fmt::format("{}, random maps, N={}", subject.spec, n);
  return finding;
}

Learnt add_memory(const TheoremOptions& options, TheoremCheck& result) {
  Learnt count;
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
      result.findings.push_back(memory_finding(subject, n, options, curve, count));
    figure.curves.push_back(std::move(curve));
  }
  result.figures = {std::move(figure)};
  return count;
}

std::string reason(const Obstruction& read, const Learnt& learnt, Index n) {
  std::string text = fmt::format("{} of {} encodings cannot read t off constant input",
                                 read.obstructed, read.obstructed + read.free);
  if (read.obstructed > 0)
    text += fmt::format(" (mean squared error {:.8g} = Var(1..{}))", variance(n), n);
  text += fmt::format(
      " and {} can; of {} cases random maps are learnt by heart in {}, up to the residual symmetry "
      "in {}",
      read.free, learnt.cases, learnt.all, learnt.symmetric);
  if (learnt.fewer > 0)
    text += fmt::format(", and short of it in {} ({})", learnt.fewer, learnt.example);
  if (learnt.beyond > 0) text += fmt::format(", and beyond it in {}", learnt.beyond);
  const Index open = learnt.cases - learnt.all - learnt.symmetric - learnt.fewer - learnt.beyond;
  if (open > 0) text += fmt::format("; {} not decided", open);
  return text + "; nothing follows for longer sequences";
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
  const Learnt learnt = add_memory(options, result);
  const Index limited = count.obstructed + learnt.symmetric + learnt.fewer;
  result.verdict = learnt.beyond > 0 ? ClaimVerdict::kViolated
                   : limited > 0     ? ClaimVerdict::kHoldsUnderConditions
                                     : ClaimVerdict::kHolds;
  // The longest random maps that carry the verdict, else the worst read-out.
  for (std::size_t i = obstructions; i < result.findings.size(); ++i)
    if (result.findings[i].verdict == result.verdict &&
        (learnt.beyond == 0 || result.findings[i].observed > result.findings[i].bound))
      result.decisive = i;
  result.reason = reason(count, learnt, read_tokens(options));
  return result;
}

}  // namespace

void register_universality(TheoremRegistry& registry) { registry.add(kInfo, check); }

}  // namespace sextant
