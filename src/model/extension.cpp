// SPDX-License-Identifier: Apache-2.0
#include "model/extension.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "base/check.h"
#include "base/rounding.h"
#include "base/text.h"
#include "math/elementary.h"
#include "model/conversion.h"
#include "theory/nearest_repeat.h"

namespace sextant {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

std::string with_arguments(const std::string& spec, const std::string& more) {
  return spec.ends_with(')') ? fmt::format("{},{})", spec.substr(0, spec.size() - 1), more)
                             : fmt::format("{}({})", spec, more);
}

std::string list_text(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ":") + shortest(value);
  return text;
}

std::string scaled_spec(const ExtensionSubject& subject, std::string_view method, double factor,
                        const RotaryOperator& unscaled) {
  const Index original = subject.trained;
  std::string more = fmt::format("scaling={},factor={}", method, shortest(factor));
  if (method == "dynamic" || method == "longrope")
    more += fmt::format(",original={},length={}", original, subject.to);
  if (method == "yarn" || method == "llama3") more += fmt::format(",original={}", original);
  if (method == "longrope") {
    const std::vector<double> factors = longrope_start(unscaled, original, factor);
    more += fmt::format(",short_factor={},long_factor={}",
                        list_text(std::vector<double>(factors.size(), 1.0)), list_text(factors));
  }
  return with_arguments(subject.spec, more);
}

LagMap lag_map(const ExtensionSubject& subject, std::string_view method,
               const ExtensionOptions& options) {
  const Index part = method == "rerope" ? 2 : 4;
  const Index window = options.window.value_or(std::max(Index{1}, subject.trained / part));
  require(window >= 1 && window < subject.trained, "--window",
          "must be below the trained length {} but got {}", subject.trained, window);
  LagMap map{.window = window, .group = 0};
  if (method == "rerope") return map;
  for (map.group = 2; map.largest(subject.to) >= subject.trained; ++map.group)
    require(map.group < subject.to, "--window",
            "of {} leaves no room for groups in the trained length {}", window, subject.trained);
  return map;
}

// K of the lags 0 to kShortLags.
Vector short_kernel(const RotaryOperator& ladder, const std::optional<LagMap>& map) {
  const double scale = to_double(ladder.magnitude) * to_double(ladder.magnitude);
  Vector kernel;
  for (Index lag = 0; lag <= kShortLags; ++lag) {
    const auto seen = static_cast<double>(map ? (*map)(lag) : lag);
    double sum = 0.0;
    for (const DoubleDouble& w : ladder.inv_freq) sum += to_double(cos_sin(seen, w).cos);
    kernel.push_back(scale * sum / static_cast<double>(ladder.inv_freq.size()));
  }
  return kernel;
}

Index turning_pairs(const RotaryOperator& ladder, Index length) {
  return std::ranges::count_if(ladder.inv_freq, [&](const DoubleDouble& w) {
    return static_cast<double>(length) * to_double(w) >= kTurn;
  });
}

double step_length(const RotaryOperator& ladder) {
  double sum = 0.0;
  for (const DoubleDouble& w : ladder.inv_freq) {
    const double sine = to_double(cos_sin(0.5, w).sin);
    sum += 4.0 * sine * sine;
  }
  return std::sqrt(sum / static_cast<double>(ladder.inv_freq.size()));
}

// Phases of a pair up to `length` against those that training has shown: all, after one turn.
void measure_phases(const RotaryOperator& unscaled, const RotaryOperator& ladder, Index trained,
                    Index length, ExtensionMeasures& measures) {
  constexpr double kRounding = 1e-12;
  for (std::size_t i = 0; i < ladder.inv_freq.size(); ++i) {
    const double shown = static_cast<double>(trained) * to_double(unscaled.inv_freq[i]);
    const double reached = static_cast<double>(length) * to_double(ladder.inv_freq[i]);
    if (shown >= kTurn || reached <= shown * (1.0 + kRounding)) continue;
    ++measures.beyond;
    measures.excess = std::max(measures.excess, std::min(reached, kTurn) - shown);
  }
}

// The ladder with no pair beyond and the kernel least changed; ties by order.
const ExtensionCandidate& least_change(const std::vector<ExtensionCandidate>& candidates) {
  constexpr std::string_view kInEngines[] = {"linear", "ntk", "dynamic", "yarn", "llama3"};
  const auto rank = [&](const ExtensionCandidate& each) {
    const bool absent = std::ranges::find(kInEngines, each.method) == std::end(kInEngines);
    return std::tuple(absent, each.measures.beyond, each.measures.shape_drift);
  };
  return *std::ranges::min_element(candidates, {}, rank);
}

// What the family's programs read comes first, then the rule that the model has, then measures.
void recommend(const ExtensionSubject& subject, ExtensionReport& report) {
  const std::string& type = subject.keys.type;
  const bool one_type = !subject.only.empty() && subject.only != "none";
  if (subject.present && (!one_type || subject.only == type)) {
    report.recommended = type;
    report.reason = fmt::format(
        "the model is extended by {} already: the rule and its other keys stay, with a new factor",
        type);
  } else if (one_type) {
    report.recommended = subject.only;
    report.reason = family_limit(subject);
    return;
  } else {
    const ExtensionCandidate& best = least_change(report.candidates);
    report.recommended = best.method;
    report.reason = fmt::format(
        "of the rules that engines have, {} leaves the fewest pairs beyond their trained phases "
        "({}) and, among those, changes the kernel at lags up to {} least ({:.3g})",
        best.method, best.measures.beyond, kShortLags, best.measures.shape_drift);
  }
  if (!subject.only.empty()) report.reason += fmt::format("; {}", family_limit(subject));
}

}  // namespace

Index LagMap::operator()(Index lag) const {
  if (lag <= window) return lag;
  return group == 0 ? window : lag / group + window - window / group;
}

Index LagMap::largest(Index length) const {
  const Index lag = length - 1;
  if (lag <= window) return lag;
  return group == 0 ? window : (lag + group - 1) / group + window - window / group;
}

ExtensionMeasures measure_extension(const ExtensionSubject& subject, const RotaryOperator& ladder,
                                    const std::optional<LagMap>& map) {
  const RotaryOperator unscaled = operator_of(subject.spec, subject.head_dim);
  const Index length = map ? map->largest(subject.to) + 1 : subject.to;
  ExtensionMeasures measures;
  measures.turning = turning_pairs(ladder, length);
  measure_phases(unscaled, ladder, subject.trained, length, measures);
  if (map) measures.colliding = subject.to - ((*map)(subject.to - 1) + 1);
  const NearestRepeat repeat =
      nearest_repeat(ladder.inv_freq, std::min(kShortLags, length - 1), length - 1);
  measures.nearest_lag = repeat.lag;
  measures.nearest = repeat.distance / std::sqrt(static_cast<double>(ladder.inv_freq.size()));
  const Vector before = short_kernel(unscaled, {}), after = short_kernel(ladder, map);
  for (std::size_t lag = 1; lag < before.size(); ++lag) {
    measures.drift = std::max(measures.drift, std::abs(after[lag] - before[lag]) / before[0]);
    measures.shape_drift =
        std::max(measures.shape_drift, std::abs(after[lag] / after[0] - before[lag] / before[0]));
  }
  measures.logit_factor = after[0] / before[0];
  measures.resolution = step_length(ladder) / step_length(unscaled);
  return measures;
}

ExtensionReport compare_extensions(const ExtensionSubject& subject,
                                   const ExtensionOptions& options) {
  const RotaryOperator unscaled = operator_of(subject.spec, subject.head_dim);
  const double factor = static_cast<double>(subject.to) / static_cast<double>(subject.trained);
  ExtensionReport report;
  report.pairs = static_cast<Index>(unscaled.inv_freq.size());
  report.trained_turning = turning_pairs(unscaled, subject.trained);
  report.candidates.push_back({.method = "none", .ladder = unscaled, .factor = 1.0});
  if (subject.present)
    report.candidates.push_back({.method = "present",
                                 .ladder = *subject.present,
                                 .factor = subject.keys.factor.value_or(1.0)});
  for (const std::string_view method : kExtensionMethods) {
    ExtensionCandidate candidate{.method = std::string(method), .factor = factor};
    if (method == "self-extend" || method == "rerope") {
      candidate.ladder = unscaled;
      candidate.map = lag_map(subject, method, options);
    } else if (subject.continued && method == subject.keys.type) {
      candidate.ladder = subject.continued->ladder;
    } else {
      candidate.ladder =
          operator_of(scaled_spec(subject, method, factor, unscaled), subject.head_dim);
    }
    report.candidates.push_back(std::move(candidate));
  }
  for (ExtensionCandidate& each : report.candidates)
    each.measures = measure_extension(subject, each.ladder, each.map);
  recommend(subject, report);
  return report;
}

}  // namespace sextant
