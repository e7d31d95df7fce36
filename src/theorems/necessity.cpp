// SPDX-License-Identifier: Apache-2.0
// T1: attention without positions does not see the order of its tokens.
//
// f(PX) = P f(X) is measured on random models. What a model with this symmetry can reach at best is
// enumerated on a small task: the best permutation-invariant predictor, which is better than
// chance.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "base/rng.h"
#include "sextant/theorem.h"
#include "theory/residual_symmetry.h"
#include "theory/subject.h"
#include "theory/verdict.h"

namespace sextant {
namespace {

constexpr std::string_view kConditions[] = {
    "no causal or other mask",
    "weights are shared by all positions",
    "the read-out is symmetric in the positions",
    "unsolvable means: no better than the best permutation-invariant predictor, not chance",
};

constexpr TheoremInfo kInfo = {
    .id = "T1",
    .name = "necessity",
    .title = "Necessity of positions",
    .source = "Cirrincione, arXiv:2604.05217, Necessity Theorem",
    .claim =
        "any transformer without a positional signal cannot solve any task sensitive to word order",
    .statement =
        "without a mask f(PX) = P f(X) for every permutation P, so that no symmetric read-out "
        "beats the best permutation-invariant predictor",
    .conditions = kConditions,
};

constexpr double kRounding = 1e-12;
constexpr Index kMostTokens = 24;
constexpr Index kLeastTokens = 4;  // of two tokens the only permutation is their reversal (T1')
constexpr Index kPermutations = 5;
constexpr std::string_view kQuantity = "max |f(PX) - P f(X)|";

Index tokens(const TheoremOptions& options) {
  return std::clamp(options.train, kLeastTokens, kMostTokens);
}

std::vector<Index> random_order(Index n, std::uint64_t seed, Index draw) {
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  const Rng rng(seed, static_cast<std::uint64_t>(draw));
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.at(i) % i]);
  return order;
}

// Over several permutations.
double equivariance_gap(const Transformer& model, const Effects& effects, Index n,
                        std::uint64_t seed) {
  const Matrix x = random_tokens(n, model.shape.dim, seed), y = forward(model, effects, x);
  double worst = 0.0;
  for (Index draw = 0; draw < kPermutations; ++draw) {
    const std::vector<Index> order = random_order(n, seed, draw);
    const double gap =
        largest_difference(forward(model, effects, reordered(x, order)), reordered(y, order));
    if (std::isnan(gap)) return gap;
    worst = std::max(worst, gap);
  }
  return worst;
}

Finding no_signal_finding(const TheoremOptions& options, bool causal) {
  TransformerShape shape = theorem_subject("none", options).shape;
  shape.causal = causal;
  const Index n = tokens(options);
  const double gap =
      equivariance_gap(Transformer::random(shape, options.seed), {}, n, options.seed);
  return {.part = causal ? "no encoding, causal mask" : "no encoding, no mask",
          .quantity = std::string(kQuantity),
          .observed = gap,
          .bound = kRounding,
          .verdict = holds_if(gap <= kRounding),
          .remark = fmt::format("random model, layers={}, {}{}", shape.layers,
                                size_remark(shape, n, options),
                                causal ? "; each query averages over its own prefix" : "")};
}

// Sequences over {a, b, c}, all equally likely. Label: does an a come before every b? Where one of
// them is missing, the content decides it.
struct OrderTask {
  static constexpr Index kSymbols = 3;
  static constexpr Index kLength = 6;
  double best = 0.0, invariant = 0.0, chance = 0.0;  // accuracies
};

OrderTask enumerate() {
  Index total = 1;
  for (Index i = 0; i < OrderTask::kLength; ++i) total *= OrderTask::kSymbols;
  std::map<std::array<Index, OrderTask::kSymbols>, std::array<Index, 2>> labels;  // by content
  std::array<Index, 2> all = {};
  for (Index code = 0; code < total; ++code) {
    std::array<Index, OrderTask::kSymbols> content = {};
    std::size_t label = 0;
    bool decided = false;
    for (Index i = 0, rest = code; i < OrderTask::kLength; ++i, rest /= OrderTask::kSymbols) {
      const auto symbol = static_cast<std::size_t>(rest % OrderTask::kSymbols);
      ++content[symbol];
      if (!decided && symbol < 2) {
        label = symbol == 0 ? 1 : 0;
        decided = true;
      }
    }
    ++labels[content][label];
    ++all[label];
  }
  Index right = 0;
  for (const auto& entry : labels) right += std::ranges::max(entry.second);
  const auto share = [&](Index count) {
    return static_cast<double>(count) / static_cast<double>(total);
  };
  return {.best = 1.0, .invariant = share(right), .chance = share(std::ranges::max(all))};
}

std::vector<Finding> task_findings(const OrderTask& task) {
  const std::string part = fmt::format("does a come before b, length {}", OrderTask::kLength);
  return {
      {.part = part,
       .quantity = "accuracy of the best permutation-invariant predictor",
       .observed = task.invariant,
       .lower = task.chance,
       .bound = task.best,
       .verdict = holds_if(task.invariant < task.best),
       .remark = "all sequences enumerated; lower is the most frequent label, bound is a "
                 "predictor that sees the order"},
      {.part = part + ", read as 'no better than chance'",
       .quantity = "accuracy of the best permutation-invariant predictor",
       .observed = task.invariant,
       .bound = task.chance,
       .verdict = holds_if(task.invariant <= task.chance),
       .remark = "the content tells part of the answer: a model without positions may learn it"},
      {.part = part + ", trained models",
       .quantity = "accuracy of a trained model without positions",
       .observed = std::numeric_limits<double>::quiet_NaN(),
       .verdict = ClaimVerdict::kNotTestable,
       .remark = "not done here: needs training, which sextant study necessity does; the "
                 "enumeration bounds every trained model"}};
}

// Where the key is ahead, an encoding for causal models may be undefined: it is asked all the same,
// since a mask would hide what the encoding does.
Finding encoding_finding(const Subject& subject, const TheoremOptions& options) {
  return subject_finding(subject, std::string(kQuantity), [&](Finding& finding) {
    TransformerShape shape = subject.shape;
    shape.causal = false;
    const Index n = tokens(options);
    const Effects effects = transformer_effects(*subject.encoding, shape, n);
    finding.observed =
        equivariance_gap(Transformer::random(shape, options.seed), effects, n, options.seed);
    const bool silent = acts_nowhere(effects);
    if (std::isnan(finding.observed)) {
      finding.remark = "not applicable: undefined where the key is ahead";
      return;
    }
    const bool breaks = finding.observed > kRounding;
    finding.verdict = holds_if(breaks != silent);
    finding.bound = silent ? std::optional(kRounding) : std::nullopt;
    finding.lower = silent ? std::nullopt : std::optional(kRounding);
    finding.remark = fmt::format("{}; {}",
                                 silent   ? "no site: equivariant as it must be"
                                 : breaks ? "breaks the symmetry, no mask"
                                          : "has sites, yet leaves the order undecided",
                                 size_remark(shape, n, options));
  });
}

TheoremCheck check(const TheoremOptions& options) {
  TheoremCheck result;
  result.findings = {no_signal_finding(options, false), no_signal_finding(options, true)};
  const OrderTask task = enumerate();
  std::ranges::move(task_findings(task), std::back_inserter(result.findings));
  const double plain = result.findings[0].observed, causal = result.findings[1].observed;
  const bool equivariant = plain <= kRounding;
  result.verdict = !equivariant         ? ClaimVerdict::kViolated
                   : causal > kRounding ? ClaimVerdict::kHoldsUnderConditions
                                        : ClaimVerdict::kHolds;
  for (const Subject& subject : theorem_subjects(options))
    result.findings.push_back(encoding_finding(subject, options));
  result.reason = fmt::format(
      "without a mask f(PX) = P f(X) to {:.1e}; with a causal mask the two differ by {:.2g}, so "
      "'any transformer' needs the condition; and 'cannot solve' is not chance: on 'does a come "
      "before b', length {}, the best invariant predictor is right in {:.3f} where chance is "
      "{:.3f}",
      plain, causal, OrderTask::kLength, task.invariant, task.chance);
  return result;
}

}  // namespace

void register_necessity(TheoremRegistry& registry) { registry.add(kInfo, check); }

}  // namespace sextant
