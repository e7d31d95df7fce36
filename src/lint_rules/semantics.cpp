// SPDX-License-Identifier: Apache-2.0
// R29-R32: rules that depend on the length, on the layer and on the order of pairs, where engines
// go different ways. Notes, never a verdict.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/rounding.h"
#include "base/text.h"
#include "model/lint_places.h"
#include "model/phase_error.h"

namespace sextant {
namespace {

using Findings = std::vector<LintFinding>;

double slowest_wavelength(const RotaryOperator& made) {
  double slowest = 0.0;
  for (const DoubleDouble& frequency : made.inv_freq)
    if (frequency.high > 0.0 && (slowest == 0.0 || frequency.high < slowest))
      slowest = frequency.high;
  return slowest == 0.0 ? 0.0 : 2.0 * std::numbers::pi / slowest;
}

// factor times the context, where it is a length one can ask about.
std::optional<Index> extended_length(const Model& model, const RopeKeys& rope) {
  constexpr double kLongest = 1e12;
  const double length = static_cast<double>(model.max_positions) * rope.factor.value_or(0.0);
  if (!(length >= 1.0 && length < kLongest)) return std::nullopt;
  return static_cast<Index>(length);
}

void dynamic_with_cache(const LintSubject& subject, Findings& findings) {
  const Model& model = subject.model;
  if (!model.use_cache || !model.causal) return;
  for (const LayerGroup* group : turning_groups(model)) {
    const std::optional<Index> length = extended_length(model, group->rope);
    if (group->rope.type != "dynamic" || !length || sound_operator(subject, *group) == nullptr)
      continue;
    const auto near = operator_of(model, *group, Engine::kHuggingFace, model.max_positions);
    const auto far = operator_of(model, *group, Engine::kHuggingFace, *length);
    if (!near || !far) continue;
    const auto engines = engine_values(model, *group, *length, slowest_wavelength);
    LintFinding finding = {
        .severity = Severity::kNote,
        .where = key_place(subject, *group, {"rope_type", "type"}),
        .message = fmt::format(
            "engines disagree: dynamic stretches theta with the length, so that keys cached before "
            "position {} were turned with another theta than the query; the slowest wavelength at "
            "length {}: {} (at {} it is {:.6g})",
            model.max_positions, *length, engines_text(engines), model.max_positions,
            slowest_wavelength(*near)),
        .change = "without a cache, or with yarn, every key has the same theta",
        .values = {{"length", static_cast<double>(*length)},
                   {"wavelength", slowest_wavelength(*far)}}};
    add_values(engines, finding);
    findings.push_back(std::move(finding));
  }
}

void longrope_crossing(const LintSubject& subject, Findings& findings) {
  const Model& model = subject.model;
  if (!model.use_cache || !model.causal) return;
  for (const LayerGroup* group : turning_groups(model)) {
    const RopeKeys& rope = group->rope;
    const bool crosses = rope.type == "longrope" && rope.original && *rope.original >= 1.0 &&
                         *rope.original < static_cast<double>(model.max_positions);
    if (!crosses || rope.short_factor.size() != rope.long_factor.size()) continue;
    std::size_t pair = 0;
    double ratio = 1.0;
    for (std::size_t i = 0; i < rope.short_factor.size(); ++i) {
      const double own = rope.long_factor[i] / rope.short_factor[i];
      if (std::isfinite(own) && own > ratio) {
        ratio = own;
        pair = i;
      }
    }
    if (ratio == 1.0) continue;
    const auto engines =
        engine_values(model, *group, static_cast<Index>(*rope.original), slowest_wavelength);
    LintFinding finding = {
        .severity = Severity::kNote,
        .where = key_place(subject, *group, {"long_factor"}),
        .message = fmt::format(
            "engines disagree: longrope changes lists at {:.0f} positions, where pair {} becomes "
            "{:.4g} times slower: by the length of the sequence (keys in the cache are then "
            "stale), "
            "or by the allocated context from the start; the slowest wavelength at that length: {}",
            *rope.original, pair, ratio, engines_text(engines)),
        .change =
            "do not let a sequence cross that length with a cache, or choose the list at start",
        .values = {
            {"original", *rope.original}, {"pair", static_cast<double>(pair)}, {"ratio", ratio}}};
    add_values(engines, finding);
    findings.push_back(std::move(finding));
  }
}

std::string rule_text(const LayerGroup& group) {
  std::string text =
      fmt::format("{} ({} layers) turns with theta {}", group.name, group.layers.size(),
                  group.rope.theta ? shortest(*group.rope.theta) : "unwritten");
  if (group.rope.type != "default") text += fmt::format(" and {}", group.rope.type);
  if (group.rope.type != "default" && group.rope.factor)
    text += fmt::format(" {}", shortest(*group.rope.factor));
  return text;
}

void local_and_global(const LintSubject& subject, Findings& findings) {
  const std::vector<const LayerGroup*> groups = turning_groups(subject.model);
  if (groups.size() < 2) return;
  const auto differs = [&](const LayerGroup* group) {
    return group->rope.theta != groups[0]->rope.theta || group->rope.type != groups[0]->rope.type ||
           group->rope.factor != groups[0]->rope.factor;
  };
  if (std::ranges::none_of(groups, differs)) return;
  std::vector<std::string> texts;
  LintFinding finding = {
      .severity = Severity::kNote,
      .where = key_place(subject, {"layer_types", "sliding_window_pattern"}),
      .change = "make sure that the engine scales each kind of layer by its rule"};
  for (const LayerGroup* group : groups) {
    texts.push_back(rule_text(*group));
    if (group->rope.theta) finding.values.emplace_back(group->name, *group->rope.theta);
  }
  const auto one = operator_of(subject.model, *groups[0]),
             two = operator_of(subject.model, *groups[1]);
  std::optional<Index> first;
  if (one && two && one->inv_freq.size() == two->inv_freq.size())
    first = first_departure(doubles(one->inv_freq), doubles(two->inv_freq), 0.1, Index{1} << 24);
  finding.message =
      fmt::format("engines disagree: {}; those that know one rule use it in all layers{}",
                  fmt::join(texts, ", "),
                  first ? fmt::format(", wrong by more than 0.1 from position {} on", *first) : "");
  if (first) finding.values.emplace_back("first_position", static_cast<double>(*first));
  findings.push_back(std::move(finding));
}

void pairing(const LintSubject& subject, Findings& findings) {
  const Model& model = subject.model;
  const std::vector<const LayerGroup*> groups = turning_groups(model);
  if (groups.empty() || (!model.pairing_is_stated && model.pairing == Pairing::kHalf)) return;
  std::vector<std::string> texts;
  for (const Engine engine : kEngines) {
    const auto made = operator_of(model, *groups.front(), engine);
    texts.push_back(made ? fmt::format("{} pairs {}", name(engine), name(made->pairing))
                         : fmt::format("{} refuses", name(engine)));
  }
  findings.push_back(
      {.severity = Severity::kNote,
       .where =
           key_place(subject, {"rope_interleaved", "rope_interleave", "interleaved", "model_type"}),
       .message = fmt::format("engines disagree: {} coordinates turn together, which {} says: {}; "
                              "an engine that takes the other pairing is wrong from position 1 on",
                              name(model.pairing),
                              model.pairing_is_stated ? "a key of the file" : "the family alone",
                              fmt::join(texts, ", ")),
       .change = "sextant convert reorders the projections where the engine has the other pairing",
       .values = {{"interleaved", model.pairing == Pairing::kInterleaved ? 1.0 : 0.0}}});
}

constexpr std::string_view kR29[] = {"vllm#5093", "vllm#41236", "transformers#25104",
                                     "transformers#27033"};
constexpr std::string_view kR30[] = {"transformers#33129", "vllm#27414", "llama.cpp#8995",
                                     "mistral.rs#251"};
constexpr std::string_view kR31[] = {"ferrox#39", "mlxcel#1340", "mlx-vlm#1709"};
constexpr std::string_view kR32[] = {"transformers#25199", "nanotron#427", "llama.cpp#15852"};

constexpr LintRule kRules[] = {
    {.id = "R29",
     .name = "dynamic-with-cache",
     .title = "dynamic NTK together with a cache of keys",
     .severity = Severity::kNote,
     .background =
         "dynamic computes theta from the length of the sequence. Keys in the cache keep the theta "
         "of the length at which they were written; some engines use one constant instead.",
     .references = kR29,
     .broken = R"({"max_position_embeddings": 4096, "use_cache": true,
 "rope_scaling": {"rope_type": "dynamic", "factor": 4.0}})",
     .fixed = R"({"max_position_embeddings": 16384, "use_cache": true, "rope_scaling":
  {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 4096}})",
     .check = dynamic_with_cache},
    {.id = "R30",
     .name = "longrope-crossing",
     .title = "longrope: the switch from the short to the long list",
     .severity = Severity::kNote,
     .background =
         "Sequences up to the trained length use short_factor, longer ones long_factor. With a "
         "cache "
         "the keys before the switch are stale; other engines choose by the allocated context.",
     .references = kR30,
     .broken = R"({"max_position_embeddings": 131072, "rope_scaling": {"rope_type": "longrope",
  "original_max_position_embeddings": 4096, "short_factor": [1.0, 1.0],
  "long_factor": [1.0, 4.0]}})",
     .fixed = R"({"max_position_embeddings": 4096})",
     .check = longrope_crossing},
    {.id = "R31",
     .name = "local-and-global",
     .title = "kinds of layers with rules of their own",
     .severity = Severity::kNote,
     .background =
         "Gemma 3 turns local layers with theta 10000 and global ones with 1000000, and scales "
         "only "
         "the global ones. Engines that apply one rule to all layers degrade with the length.",
     .references = kR31,
     .broken = R"({"model_type": "gemma3_text", "num_hidden_layers": 12,
 "rope_theta": 1000000.0, "rope_local_base_freq": 10000.0})",
     .fixed = R"({"model_type": "gemma2", "num_hidden_layers": 12, "rope_theta": 10000.0})",
     .check = local_and_global},
    {.id = "R32",
     .name = "pairing",
     .title = "which coordinates turn together",
     .severity = Severity::kNote,
     .background =
         "Half (i with i + d/2) and interleaved (2i with 2i + 1) are one rotation in two orders of "
         "the coordinates. Converters that ignore the flag produce weights that load and fail.",
     .references = kR32,
     .broken = R"({"rope_interleaved": true})",
     .fixed = R"({})",
     .check = pairing},
};

}  // namespace

void register_semantics(LintRegistry& registry) {
  for (const LintRule& rule : kRules) registry.add(rule);
}

}  // namespace sextant
