// SPDX-License-Identifier: Apache-2.0
// T7: how much one attention weight changes when its key moves beyond the training length.
//
// One query, N-1 keys of equal content at distances 0..N-2, and one more key that moves from
// distance N to d: its weight is a logistic function of its own bias, so that the derivative is
// w (1 - w) <= 1/4 and the published inequality holds. It grows without end while the weight can
// at most vanish.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sextant/registry.h"
#include "sextant/theorem.h"
#include "theory/verdict.h"

namespace sextant {
namespace {

constexpr std::string_view kConditions[] = {
    "attention is one softmax over the keys of one query",
    "ours: L_A = 1/4, which such a softmax has for one weight; our source gives no value",
    "the bias is -alpha times the distance and nothing else depends on the distance",
    "only the key in question moves; content and the other keys stay as they are",
    "about weights, not about solving a task at length d: no computable bound does that (T12)",
};

constexpr TheoremInfo kInfo = {
    .id = "T7",
    .name = "alibi_extrapolation",
    .title = "ALiBi extrapolation",
    .source = "Li, arXiv:2506.06398, section 5.3, eq. 9",
    .claim = "beyond the training length the error of ALiBi's attention grows at most linearly",
    .statement =
        "|A(mu,-alpha d) - A(mu,-alpha N)| <= L_A alpha (d-N) for the weight A of a key that moves "
        "from distance N to d",
    .conditions = kConditions,
};

constexpr double kLipschitz = 0.25;  // the largest derivative of a logistic function
constexpr double kTrivial = 1.0;     // no weight changes by more
constexpr double kRounding = 1e-12;  // of change / bound

double exp_sum(double alpha, Index keys) {
  double sum = 0.0;
  for (Index i = 0; i < keys; ++i) sum += std::exp(-alpha * static_cast<double>(i));
  return sum;
}

struct MovedKey {
  double alpha = 0.0;
  double others = 0.0;  // sum of exp over the keys that stay
  Index from = 0;

  double weight(Index distance) const {
    const double own = std::exp(-alpha * static_cast<double>(distance));
    return own / (own + others);
  }
  // The difference of two weights as one quotient: for small slopes the weights agree in most
  // digits.
  double change(Index distance) const {
    const double near = std::exp(-alpha * static_cast<double>(from));
    const double far = std::exp(-alpha * static_cast<double>(distance));
    const double share = -std::expm1(-alpha * static_cast<double>(distance - from));
    return near * others * share / ((far + others) * (near + others));
  }
  double bound(Index distance) const {
    return kLipschitz * alpha * static_cast<double>(distance - from);
  }
};

// Weights of the last query of a sequence without content, against the lag.
Vector weights_of(const Encoding& alibi, Index length) {
  const Effects effects = alibi.effects({.positions = length, .dim = 1, .heads = 1});
  const auto last = static_cast<double>(length - 1);
  Vector weights;
  double sum = 0.0;
  for (Index lag = 0; lag < length; ++lag) {
    weights.push_back(std::exp(effects.logit->at(0, last, last - static_cast<double>(lag))));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// What a schedule of the slope does to a whole row of weights: the published bound fixes alpha and
// is silent about it.
Finding schedule_finding(std::string_view schedule, const TheoremOptions& options) {
  const std::string spec = schedule == "constant"
                               ? fmt::format("alibi(slope={})", options.alpha)
                               : fmt::format("alibi(slope={},schedule={},length={})", options.alpha,
                                             schedule, options.train);
  const std::unique_ptr<Encoding> alibi = encodings().make(spec);
  const Vector trained = weights_of(*alibi, options.train);
  const Vector longer = weights_of(*alibi, options.to);
  double beyond = 0.0, moved = 0.0;
  for (std::size_t lag = 0; lag < longer.size(); ++lag) {
    const bool within = lag < trained.size();
    if (!within) beyond += longer[lag];
    moved += 0.5 * std::abs(longer[lag] - (within ? trained[lag] : 0.0));
  }
  return {.part = fmt::format("schedule {}", schedule),
          .quantity = fmt::format("total variation between the weights at lengths {} and {}",
                                  options.train, options.to),
          .observed = moved,
          .bound = kTrivial,
          .verdict = ClaimVerdict::kNotTestable,
          .remark = fmt::format("compared, no claim to test: {:.3g} of the weight lies on lags >= "
                                "{} at length {}",
                                beyond, options.train, options.to)};
}

Figure changes_figure(const MovedKey& key, Index to) {
  Figure figure{.title = "Change of one weight as its key moves away",
                .x_label = "distance d",
                .y_label = "change of the weight",
                .log_y = true,
                .curves = {{.name = "observed", .x = {}, .y = {}},
                           {.name = "published bound", .x = {}, .y = {}}}};
  for (Index d = key.from + 1; d <= to; ++d) {
    for (Figure::Curve& curve : figure.curves) curve.x.push_back(static_cast<double>(d));
    figure.curves[0].y.push_back(key.change(d));
    figure.curves[1].y.push_back(key.bound(d));
  }
  return figure;
}

TheoremCheck check(const TheoremOptions& options) {
  const MovedKey key{.alpha = options.alpha,
                     .others = exp_sum(options.alpha, options.train - 1),
                     .from = options.train};
  const double change = key.change(options.to), bound = key.bound(options.to);
  double worst = 0.0;  // of change / bound over all distances
  for (Index d = options.train + 1; d <= options.to; ++d)
    worst = std::max(worst, key.change(d) / key.bound(d));
  const bool vacuous = bound > kTrivial, exceeded = worst > 1.0 + kRounding;

  TheoremCheck result;
  result.verdict = exceeded  ? ClaimVerdict::kViolated
                   : vacuous ? ClaimVerdict::kVacuous
                             : ClaimVerdict::kHolds;
  result.findings = {
      {.part = fmt::format("{} keys, alpha={}, d={}", options.train, options.alpha, options.to),
       .quantity = "change of the weight of the moved key",
       .observed = change,
       .bound = bound,
       .verdict = result.verdict,
       .remark = fmt::format("the weight at distance N is {:.3g}, which bounds the change for "
                             "every d",
                             key.weight(key.from))},
      {.part = fmt::format("d={}..{}", options.train + 1, options.to),
       .quantity = "largest change over bound",
       .observed = worst,
       .bound = 1.0,
       .verdict = holds_if(!exceeded)}};
  for (const std::string_view schedule : {"constant", "log", "sqrt", "inverse"})
    result.findings.push_back(schedule_finding(schedule, options));
  result.figures = {changes_figure(key, options.to)};
  result.reason = fmt::format(
      "the inequality {}, and at d={} with L_A = 1/4, which is ours, it allows {:.3g} where the "
      "weight changes by {:.2g} and saturates at {:.2g}{}",
      exceeded ? fmt::format("is exceeded by a factor of {:.6g}", worst) : "is true", options.to,
      bound, change, key.weight(key.from),
      vacuous ? ": a bound above 1 says nothing about a weight" : "");
  return result;
}

}  // namespace

void register_alibi_extrapolation(TheoremRegistry& registry) { registry.add(kInfo, check); }

}  // namespace sextant
