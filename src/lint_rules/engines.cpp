// SPDX-License-Identifier: Apache-2.0
// R25-R28: YaRN's magnitude and its trained length, which engines read differently. Notes, never a
// verdict: each says what every convention gives.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/rounding.h"
#include "base/text.h"
#include "model/lint_places.h"
#include "model/phase_error.h"

namespace sextant {
namespace {

using Findings = std::vector<LintFinding>;

double magnitude_of(const RotaryOperator& made) { return to_double(made.magnitude); }
double softmax_of(const RotaryOperator& made) { return to_double(made.softmax_factor); }

// 1 + 0.1 k ln f: YaRN's temperature.
double temperature(double factor, double weight = 1.0) {
  return factor > 1.0 ? 1.0 + 0.1 * weight * std::log(factor) : 1.0;
}

// The magnitude that the factor alone would give; nothing where it has none.
std::optional<double> derived_magnitude(const RopeKeys& rope, const Model& model) {
  const auto most = static_cast<double>(model.max_positions);
  if (rope.type == "yarn" && rope.factor && *rope.factor > 0.0) return temperature(*rope.factor);
  if (rope.type != "longrope" || !rope.original || !(*rope.original > 1.0)) return std::nullopt;
  const double factor = rope.factor.value_or(most / *rope.original);
  if (!(factor > 0.0)) return std::nullopt;
  return factor <= 1.0 ? 1.0 : std::sqrt(1.0 + std::log(factor) / std::log(*rope.original));
}

void explicit_attention_factor(const LintSubject& subject, Findings& findings) {
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const RopeKeys& rope = group->rope;
    if (!rope.attention_factor || !(*rope.attention_factor > 0.0)) continue;
    const std::optional<double> derived = derived_magnitude(rope, subject.model);
    if (!derived || sound_operator(subject, *group) == nullptr) continue;
    const double written = *rope.attention_factor;
    const auto engines = engine_values(subject.model, *group, 0, magnitude_of);
    LintFinding finding = {
        .severity = Severity::kNote,
        .where = key_place(subject, *group, {"attention_factor", "attn_factor"}),
        .message =
            fmt::format("engines disagree: attention_factor {} is the final factor on cos and "
                        "sin: {}; a reader that drops the key gives {:.6g}, one that "
                        "multiplies gives {:.6g}",
                        shortest(written), engines_text(engines), *derived, written * *derived),
        .change = "compare the magnitude that your engine prints with the one of training",
        .values = {
            {"written", written}, {"dropped", *derived}, {"multiplied", written * *derived}}};
    add_values(engines, finding);
    findings.push_back(std::move(finding));
  }
}

void mscale(const LintSubject& subject, Findings& findings) {
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const RopeKeys& rope = group->rope;
    if (rope.type != "yarn" || !rope.factor || (!rope.mscale && !rope.mscale_all_dim)) continue;
    if (sound_operator(subject, *group) == nullptr) continue;
    const double plain = temperature(*rope.factor);
    const double weight = rope.mscale.value_or(1.0), all = rope.mscale_all_dim.value_or(0.0);
    const double ratio = temperature(*rope.factor, weight) / temperature(*rope.factor, all);
    const auto engines = engine_values(subject.model, *group, 0, magnitude_of);
    LintFinding finding = {
        .severity = Severity::kNote,
        .where = key_place(subject, *group, {"mscale", "mscale_all_dim"}),
        .message =
            fmt::format("engines disagree: mscale {:.6g} and mscale_all_dim {:.6g} on cos and "
                        "sin: {}; as a ratio they give {:.6g}, ignored {:.6g}",
                        weight, all, engines_text(engines), ratio, plain),
        .change = "compare logits at a position above 0 with those of the reference",
        .values = {{"ratio", ratio}, {"ignored", plain}}};
    add_values(engines, finding);
    findings.push_back(std::move(finding));
  }
}

void latent_softmax(const LintSubject& subject, Findings& findings) {
  if (!subject.model.latent_attention) return;
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const RopeKeys& rope = group->rope;
    if (rope.type != "yarn" || !rope.factor || !rope.mscale_all_dim) continue;
    if (sound_operator(subject, *group) == nullptr) continue;
    const double scale = temperature(*rope.factor, *rope.mscale_all_dim);
    const auto engines = engine_values(subject.model, *group, 0, softmax_of);
    LintFinding finding = {
        .severity = Severity::kNote,
        .where = key_place(subject, *group, {"mscale_all_dim"}),
        .message = fmt::format("engines disagree: latent attention multiplies all logits by "
                               "mscale_all_dim's factor squared, {:.6g}, besides cos and sin: {}; "
                               "left out it is 1, which no test at position 0 of the rotated part "
                               "shows",
                               scale * scale, engines_text(engines)),
        .change = "make sure that the softmax scale of the engine has this factor",
        .values = {{"factor", scale * scale}}};
    add_values(engines, finding);
    findings.push_back(std::move(finding));
  }
}

struct Spread {
  std::size_t pair = 0;
  double ratio = 1.0;
};

Spread largest_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  Spread spread;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!(a[i] > 0.0 && b[i] > 0.0)) continue;
    const double ratio = std::max(a[i] / b[i], b[i] / a[i]);
    if (ratio > spread.ratio) spread = {i, ratio};
  }
  return spread;
}

double last_frequency(const RotaryOperator& made) {
  return made.inv_freq.empty() ? 0.0 : to_double(made.inv_freq.back());
}

void yarn_original(const LintSubject& subject, Findings& findings) {
  const auto most = static_cast<double>(subject.model.max_positions);
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const RopeKeys& rope = group->rope;
    if (rope.type != "yarn" || rope.original || !rope.factor || !(*rope.factor >= 1.0)) continue;
    if (most <= 0.0) continue;
    LayerGroup extended = *group, trained = *group;
    extended.rope.original = most;
    trained.rope.original = std::max(1.0, std::floor(most / *rope.factor));
    const auto one = operator_of(subject.model, extended),
               two = operator_of(subject.model, trained);
    if (!one || !two) continue;
    const Spread spread = largest_ratio(doubles(one->inv_freq), doubles(two->inv_freq));
    const auto engines = engine_values(subject.model, *group, 0, last_frequency);
    LintFinding finding = {
        .severity = Severity::kNote,
        .where = key_place(subject, *group, {"original_max_position_embeddings"}),
        .message = fmt::format("engines disagree: yarn without original_max_position_embeddings "
                               "counts turns in {:.0f} positions (max_position_embeddings) or in "
                               "{:.0f} (divided by factor), and pair {} differs by a factor of "
                               "{:.4g}; the slowest frequency: {}",
                               most, *trained.rope.original, spread.pair, spread.ratio,
                               engines_text(engines)),
        .change = "write original_max_position_embeddings, the length of training",
        .values = {{"pair", static_cast<double>(spread.pair)}, {"ratio", spread.ratio}}};
    add_values(engines, finding);
    findings.push_back(std::move(finding));
  }
}

constexpr std::string_view kR25[] = {"vllm#46280", "vllm#48351", "sglang#33558",
                                     "TensorRT-LLM#16379", "arXiv:2309.00071"};
constexpr std::string_view kR26[] = {"vllm#48621", "sglang#22711", "exllamav3#259", "imp#880"};
constexpr std::string_view kR27[] = {"mobius#548", "transformers#47435", "llama.cpp#7118"};
constexpr std::string_view kR28[] = {"transformers#38224", "llama.cpp#13312",
                                     "transformers@0044e3b"};

constexpr LintRule kRules[] = {
    {.id = "R25",
     .name = "explicit-attention-factor",
     .title = "an explicit attention_factor, which engines read differently",
     .severity = Severity::kNote,
     .background =
         "attention_factor is the final factor on cos and sin. Some readers drop it and compute "
         "0.1 ln(factor) + 1, some multiply the two: 1.4852 squared is 2.2058 where 1.4852 is "
         "meant.",
     .references = kR25,
     .broken = R"({"rope_scaling": {"rope_type": "yarn", "factor": 64.0,
  "original_max_position_embeddings": 4096, "attention_factor": 1.0}})",
     .fixed = R"({"rope_scaling": {"rope_type": "yarn", "factor": 64.0,
  "original_max_position_embeddings": 4096}})",
     .check = explicit_attention_factor},
    {.id = "R26",
     .name = "mscale",
     .title = "mscale and mscale_all_dim, which engines read differently",
     .severity = Severity::kNote,
     .background =
         "The ratio of two temperatures multiplies cos and sin. With equal values it is 1, which "
         "one "
         "reading calls intended and another a lost scaling; ignored, it is 0.1 ln(factor) + 1.",
     .references = kR26,
     .broken = R"({"rope_scaling": {"rope_type": "yarn", "factor": 40.0,
  "original_max_position_embeddings": 4096, "mscale": 1.0, "mscale_all_dim": 1.0}})",
     .fixed = R"({"rope_scaling": {"rope_type": "yarn", "factor": 40.0,
  "original_max_position_embeddings": 4096}})",
     .check = mscale},
    {.id = "R27",
     .name = "latent-softmax",
     .title = "latent attention: a second factor on the logits",
     .severity = Severity::kNote,
     .background = "DeepSeek's latent attention multiplies the softmax scale by the square of the "
                   "temperature "
                   "of mscale_all_dim: 1.59 for V2-Lite, 1.87 for V3. Engines that leave it out "
                   "are plausible "
                   "but flat.",
     .references = kR27,
     .broken = R"({"kv_lora_rank": 512, "qk_rope_head_dim": 64, "rope_scaling": {"type": "yarn",
  "factor": 40, "original_max_position_embeddings": 4096, "mscale_all_dim": 1.0}})",
     .fixed = R"({"kv_lora_rank": 512, "qk_rope_head_dim": 64})",
     .check = latent_softmax},
    {.id = "R28",
     .name = "yarn-original",
     .title = "yarn without the trained length",
     .severity = Severity::kNote,
     .background =
         "YaRN counts how often a pair turns in the trained length. Without "
         "original_max_position_embeddings some engines count in max_position_embeddings, some in "
         "that over the factor; the ramp moves by several pairs.",
     .references = kR28,
     .broken = R"({"max_position_embeddings": 131072,
 "rope_scaling": {"rope_type": "yarn", "factor": 4.0}})",
     .fixed = R"({"max_position_embeddings": 131072, "rope_scaling": {"rope_type": "yarn",
  "factor": 4.0, "original_max_position_embeddings": 32768}})",
     .check = yarn_original},
};

}  // namespace

void register_engines(LintRegistry& registry) {
  for (const LintRule& rule : kRules) registry.add(rule);
}

}  // namespace sextant
