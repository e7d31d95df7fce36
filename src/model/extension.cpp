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
#include "sextant/registry.h"
#include "theory/nearest_repeat.h"

namespace sextant {
namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

// base, partial and pairing of a spec; what else it says is the scaling.
std::string unscaled_spec(const std::string& spec) {
  const EncodingSpec parsed = EncodingSpec::parse(spec);
  EncodingSpec::Term plain;
  plain.name = "rope";
  for (const EncodingSpec::Argument& argument : parsed.terms.front().arguments) {
    if (argument.key == "base" || argument.key == "partial" || argument.key == "pairing")
      plain.arguments.push_back(argument);
  }
  return EncodingSpec{.terms = {plain}}.text();
}

std::string with_arguments(const std::string& spec, const std::string& more) {
  return spec.ends_with(')') ? fmt::format("{},{})", spec.substr(0, spec.size() - 1), more)
                             : fmt::format("{}({})", spec, more);
}

bool full_attention(const LayerGroup& group) {
  return group.kind == PositionKind::kRotary && group.name.find("sliding") == std::string::npos &&
         group.name.find("chunked") == std::string::npos;
}

bool is_scaled(const RopeKeys& keys) { return keys.type != "default" && keys.type != "mrope"; }

// What another yarn of the same model keeps.
std::string kept_yarn_arguments(const RopeKeys& keys) {
  if (keys.type != "yarn") return "";
  std::string text;
  const auto keep = [&](std::string_view name, const std::optional<double>& value) {
    if (value) text += fmt::format(",{}={}", name, shortest(*value));
  };
  keep("beta_fast", keys.beta_fast);
  keep("beta_slow", keys.beta_slow);
  keep("mscale", keys.mscale);
  keep("mscale_all_dim", keys.mscale_all_dim);
  if (keys.truncate) text += fmt::format(",truncate={}", *keys.truncate);
  return text;
}

std::string list_text(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ":") + shortest(value);
  return text;
}

std::string scaled_spec(const ExtensionSubject& subject, std::string_view method, double factor,
                        const RotaryOperator& unscaled) {
  const std::string f = shortest(factor);
  const Index original = subject.trained;
  std::string more = fmt::format("scaling={},factor={}", method, f);
  if (method == "dynamic" || method == "longrope")
    more += fmt::format(",original={},length={}", original, subject.to);
  if (method == "yarn")
    more += fmt::format(",original={}{}", original, kept_yarn_arguments(subject.keys));
  if (method == "llama3") more += fmt::format(",original={}", original);
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

ExtensionSubject extension_subject(const Model& model, Index to, Engine engine) {
  const auto group = std::ranges::find_if(model.groups, full_attention);
  require(group != model.groups.end(), model.source,
          "has no layer of full attention with rotary positions: there is nothing to extend");
  const RopeKeys& keys = group->rope;
  require(keys.type != "proportional", model.source,
          "the rule 'proportional' has no extension: its slow pairs do not turn");
  require(keys.divisors.empty(), model.source,
          "has a list of divisors in place of a rule; extend the config.json it was made from");
  LayerGroup plain = *group;
  plain.rope = RopeKeys{.pointer = keys.pointer,
                        .type = keys.type == "mrope" ? "mrope" : "default",
                        .theta = keys.theta,
                        .partial = keys.partial,
                        .mrope_section = keys.mrope_section,
                        .mrope_interleaved = keys.mrope_interleaved};
  const RotaryOperator unscaled = rotary_operator(model, plain, engine);
  ExtensionSubject subject{.spec = unscaled_spec(unscaled.spec),
                           .head_dim = unscaled.head_dim,
                           .trained = model.max_positions,
                           .to = to,
                           .keys = keys,
                           .notes = unscaled.assumptions};
  if (keys.original && is_scaled(keys)) subject.trained = static_cast<Index>(*keys.original);
  require(subject.trained >= 2, model.source, "does not say the length it was trained at");
  require(to > subject.trained, "--to", "must exceed the trained length {} but got {}",
          subject.trained, to);
  require(to <= kLongestExtension, "--to", "must be at most {} but got {}", kLongestExtension, to);
  if (is_scaled(keys)) {
    subject.present = rotary_operator(model, *group, engine, to);
    require(subject.present->inv_freq.size() == unscaled.inv_freq.size(), model.source,
            "its rule must turn the {} pairs of the unscaled ladder but turns {}",
            unscaled.inv_freq.size(), subject.present->inv_freq.size());
    subject.notes.push_back(fmt::format(
        "the model is extended already ({}): all rules start from its original length {} and the "
        "unscaled ladder",
        keys.type, subject.trained));
  }
  if (model.groups.size() > 1)
    subject.notes.push_back(
        fmt::format("extended are the layers '{}' only; the others keep their rule", group->name));
  if (lower_ascii(model.source).ends_with(".gguf"))
    subject.notes.push_back(
        "the printed keys are those of config.json; in GGUF they are rope.scaling.type, .factor, "
        ".original_context_length and context_length of the architecture");
  if (model.latent_attention)
    subject.notes.push_back(
        "latent attention: the factor on logits that engines add for yarn is not part of the rows");
  if (!keys.mrope_section.empty())
    subject.notes.push_back("several axes: measured for text, where all coordinates are equal");
  return subject;
}

std::vector<double> longrope_start(const RotaryOperator& unscaled, Index trained, double factor) {
  std::vector<double> factors;
  for (const DoubleDouble& w : unscaled.inv_freq) {
    const bool turns = static_cast<double>(trained) * to_double(w) >= kTurn;
    factors.push_back(turns ? 1.0 : factor);
  }
  return factors;
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
    } else {
      candidate.ladder =
          operator_of(scaled_spec(subject, method, factor, unscaled), subject.head_dim);
    }
    report.candidates.push_back(std::move(candidate));
  }
  for (ExtensionCandidate& each : report.candidates)
    each.measures = measure_extension(subject, each.ladder, each.map);
  const ExtensionCandidate& best = least_change(report.candidates);
  report.recommended = best.method;
  report.reason = fmt::format(
      "of the rules that engines have, {} leaves the fewest pairs beyond their trained phases ({}) "
      "and, among those, changes the kernel at lags up to {} least ({:.3g})",
      best.method, best.measures.beyond, kShortLags, best.measures.shape_drift);
  return report;
}

}  // namespace sextant
