// SPDX-License-Identifier: Apache-2.0
// R08-R14: values for which the formula of the scaling means nothing, or something else than meant.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/lint_places.h"

namespace sextant {
namespace {

using Findings = std::vector<LintFinding>;

// JSON has no NaN, GGUF has.
std::string number(double value) {
  return std::isfinite(value) ? shortest(value) : fmt::format("{}", value);
}

double positions(const Model& model) { return static_cast<double>(model.max_positions); }

bool is_any(const std::string& type, std::initializer_list<std::string_view> types) {
  return std::ranges::find(types, type) != types.end();
}

void factor_range(const LintSubject& subject, Findings& findings) {
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const RopeKeys& rope = group->rope;
    if (!rope.factor || rope.type == "default" || rope.type == "mrope") continue;
    const double factor = *rope.factor;
    if (std::isfinite(factor) && factor >= 1.0) continue;
    std::string effect = "no frequency can be computed from it";
    if (factor > 0.0 && std::isfinite(factor)) {
      effect =
          fmt::format("position t is turned like {} t of an unscaled model", number(1.0 / factor));
      if (subject.model.max_positions > 1)
        effect +=
            fmt::format(", so position {} already lies beyond the trained {}",
                        std::ceil(positions(subject.model) * factor), subject.model.max_positions);
    }
    findings.push_back(
        {.severity = Severity::kError,
         .where = key_place(subject, *group, {"factor"}),
         .message = fmt::format("factor must be at least 1 but is {}: {}", number(factor), effect),
         .change = "write by how much the context grows: new length / trained length",
         .values = {{"factor", factor}}});
  }
}

void theta_range(const LintSubject& subject, Findings& findings) {
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const std::optional<double>& theta = group->rope.theta;
    if (!theta || (std::isfinite(*theta) && *theta > 1.0)) continue;
    const std::string effect =
        *theta == 1.0 ? "every pair turns at one speed, so that positions repeat every 6.28"
        : *theta > 0.0 && std::isfinite(*theta)
            ? fmt::format("later pairs turn faster, the last by up to {:.3g} radians a position",
                          1.0 / *theta)
            : "no frequency can be computed from it";
    findings.push_back(
        {.severity = Severity::kError,
         .where = theta_place(subject, *group),
         .message = fmt::format("theta must exceed 1 but is {}: {}", number(*theta), effect),
         .change = "write the theta of training, such as 10000",
         .values = {{"theta", *theta}}});
  }
}

void llama3_bands(const LintSubject& subject, Findings& findings) {
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const RopeKeys& rope = group->rope;
    if (rope.type != "llama3" || !rope.low_freq_factor || !rope.high_freq_factor) continue;
    const double low = *rope.low_freq_factor, high = *rope.high_freq_factor;
    if (high > low && low > 0.0) continue;
    const bool is_step = high == low && low > 0.0;
    findings.push_back(
        {.severity = is_step ? Severity::kNote : Severity::kError,
         .where = key_place(subject, *group, {"high_freq_factor"}),
         .message =
             is_step
                 ? fmt::format("high_freq_factor and low_freq_factor are both {}: a step "
                               "without a blend, for which a formula without a mask divides by 0",
                               number(low))
                 : fmt::format("high_freq_factor {} must exceed low_freq_factor {}, both "
                               "positive: the blend runs backwards, so that slow pairs are kept "
                               "and fast ones divided",
                               number(high), number(low)),
         .change = "Llama 3.1 has low_freq_factor 1 and high_freq_factor 4",
         .values = {{"low_freq_factor", low}, {"high_freq_factor", high}}});
  }
}

void original_length(const LintSubject& subject, Findings& findings) {
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const RopeKeys& rope = group->rope;
    if (!rope.original || !is_any(rope.type, {"yarn", "longrope", "llama3"})) continue;
    const double original = *rope.original, most = positions(subject.model);
    const bool is_length = std::isfinite(original) && original >= 1.0;
    if (is_length && (most <= 0.0 || original < most)) continue;
    const bool is_equal = is_length && original == most;
    const double reach = most * rope.factor.value_or(1.0);
    LintFinding finding = {
        .severity = is_equal ? Severity::kNote : Severity::kError,
        .where = key_place(subject, *group,
                           {"original_max_position_embeddings", "max_position_embeddings"}),
        .values = {{"original", original}, {"max_positions", most}}};
    if (is_equal) {
      finding.message = fmt::format(
          "max_position_embeddings is {}, as before the extension: programs that take the context "
          "from it stop there, though the scaling reaches {:.0f}",
          number(most), reach);
      finding.change =
          fmt::format("to serve the longer context, set max_position_embeddings {:.0f}", reach);
      if (!(reach > most)) finding.change.clear();
    } else if (is_length) {
      finding.message = fmt::format(
          "original_max_position_embeddings {} exceeds max_position_embeddings {}: the trained "
          "length cannot exceed the extended one, and a factor derived from them is {:.3g}",
          number(original), number(most), most / original);
      finding.change = "write the length before the extension; it may be that the two are swapped";
    } else {
      finding.message = fmt::format("original_max_position_embeddings must be a length but is {}",
                                    number(original));
      finding.change = "write the length of training";
    }
    findings.push_back(std::move(finding));
  }
}

void yarn_betas(const LintSubject& subject, Findings& findings) {
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const RopeKeys& rope = group->rope;
    if (rope.type != "yarn" || (!rope.beta_fast && !rope.beta_slow)) continue;
    const double fast = rope.beta_fast.value_or(32.0), slow = rope.beta_slow.value_or(1.0);
    const bool has_zero = fast == 0.0 || slow == 0.0;
    // Equal ones are a step between two neighbouring pairs, which Kimi K2 was trained with.
    if (fast >= slow && slow > 0.0 && std::isfinite(fast)) continue;
    const bool is_zero_only = has_zero && fast >= 0.0 && slow >= 0.0;
    findings.push_back(
        {.severity = is_zero_only ? Severity::kWarning : Severity::kError,
         .where = fast == 0.0 || slow != 0.0 ? key_place(subject, *group, {"beta_fast"})
                                             : key_place(subject, *group, {"beta_slow"}),
         .message =
             is_zero_only
                 ? fmt::format("beta_fast {} and beta_slow {}: where an engine writes `beta or "
                               "default` the 0 becomes 32 or 1, elsewhere it divides by 0",
                               number(fast), number(slow))
                 : fmt::format(
                       "beta_fast {} must not be below beta_slow {}, both positive: otherwise the "
                       "ramp runs backwards and interpolates the fast pairs",
                       number(fast), number(slow)),
         .change = "the published values are beta_fast 32 and beta_slow 1",
         .values = {{"beta_fast", fast}, {"beta_slow", slow}}});
  }
}

void attention_factor(const LintSubject& subject, Findings& findings) {
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const auto judge = [&](const std::optional<double>& factor, std::string_view key) {
      if (!factor || (*factor > 0.0 && std::isfinite(*factor))) return;
      findings.push_back(
          {.severity = Severity::kError,
           .where = key_place(subject, *group, {key}),
           .message = fmt::format("{} must be positive but is {}: it multiplies cos and sin, and "
                                  "engines that do not refuse it compute garbage from position 0 "
                                  "on",
                                  key, number(*factor)),
           .change =
               "remove it, so that 0.1 ln(factor) + 1 is used, or write the value of training",
           .values = {{std::string(key), *factor}}});
    };
    judge(group->rope.attention_factor, "attention_factor");
    judge(group->rope.attn_factor, "attn_factor");
  }
}

void judge_list(const LintSubject& subject, const LayerGroup& group, std::string_view key,
                const std::vector<double>& list, Findings& findings) {
  const auto bad = std::ranges::find_if(
      list, [](double value) { return !(value > 0.0) || !std::isfinite(value); });
  const std::string where = key_place(subject, group, {key});
  if (bad != list.end()) {
    const auto index = bad - list.begin();
    findings.push_back(
        {.severity = Severity::kError,
         .where = fmt::format("{}/{}", where, index),
         .message = fmt::format("{} must hold positive numbers but entry {} is {}: pair {} gets no "
                                "frequency, from position 1 on",
                                key, index, number(*bad), index),
         .change = "restore the published list",
         .values = {{"index", static_cast<double>(index)}, {"value", *bad}}});
    return;
  }
  const auto drop = std::ranges::adjacent_find(list, std::ranges::greater{});
  if (drop == list.end()) return;
  const auto index = drop - list.begin() + 1;
  findings.push_back(
      {.severity = Severity::kWarning,
       .where = fmt::format("{}/{}", where, index),
       .message = fmt::format("{} falls from {} to {} at entry {}: slower pairs are stretched at "
                              "least as much as faster ones in every published list",
                              key, number(*drop), number(*(drop + 1)), index),
       .change = "compare the list with the published one; entries may be swapped or lost",
       .values = {{"index", static_cast<double>(index)}, {"value", *(drop + 1)}}});
}

void factor_lists(const LintSubject& subject, Findings& findings) {
  for (const LayerGroup* group : turning_groups(subject.model)) {
    judge_list(subject, *group, "short_factor", group->rope.short_factor, findings);
    judge_list(subject, *group, "long_factor", group->rope.long_factor, findings);
  }
}

constexpr std::string_view kR08[] = {"arXiv:2306.15595", "arXiv:2309.00071"};
constexpr std::string_view kR09[] = {"arXiv:2104.09864"};
constexpr std::string_view kR10[] = {"tiny-vllm#1"};
constexpr std::string_view kR11[] = {"transformers#38224", "transformers#40320", "vllm#9490"};
constexpr std::string_view kR12[] = {"arXiv:2309.00071", "transformers@0044e3b"};
constexpr std::string_view kR13[] = {"vllm#46280", "sglang#33558"};
constexpr std::string_view kR14[] = {"arXiv:2402.13753", "mlxcel#1358"};

constexpr LintRule kRules[] = {
    {.id = "R08",
     .name = "factor-range",
     .title = "factor is below 1 or not finite",
     .severity = Severity::kError,
     .background =
         "A factor says by how much the context grows: frequencies are divided by it. Below 1 it "
         "turns heads faster than in training, often because somebody wrote the reciprocal.",
     .references = kR08,
     .broken = R"({"rope_scaling": {"rope_type": "linear", "factor": 0.25}})",
     .fixed = R"({"rope_scaling": {"rope_type": "linear", "factor": 4.0}})",
     .check = factor_range},
    {.id = "R09",
     .name = "theta-range",
     .title = "theta is not above 1 or not finite",
     .severity = Severity::kError,
     .background =
         "Pair i turns by theta^(-2i/d) a position. Only a theta above 1 gives a ladder from fast "
         "to slow pairs.",
     .references = kR09,
     .broken = R"({"rope_theta": 0.0})",
     .fixed = R"({"rope_theta": 10000.0})",
     .check = theta_range},
    {.id = "R10",
     .name = "llama3-bands",
     .title = "llama3: high_freq_factor does not exceed low_freq_factor",
     .severity = Severity::kError,
     .background =
         "llama3 keeps pairs that turn more than high_freq_factor times in the trained length, "
         "divides those below low_freq_factor, and blends between. The blend divides by high - "
         "low; "
         "equal factors are a step (Llama 4 Scout has them) and only a note.",
     .references = kR10,
     .broken = R"({"rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 4.0,
  "high_freq_factor": 1.0, "original_max_position_embeddings": 8192}})",
     .fixed = R"({"rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
  "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}})",
     .check = llama3_bands},
    {.id = "R11",
     .name = "original-length",
     .title = "the trained length exceeds max_position_embeddings",
     .severity = Severity::kError,
     .background =
         "The bands of yarn and llama3 and the switch of longrope are counted in trained lengths. "
         "An original length above the maximum is a swap or a copy from another model. Equal "
         "lengths are a note: some families recommend that edit.",
     .references = kR11,
     .broken = R"({"max_position_embeddings": 8192, "rope_scaling": {"rope_type": "yarn",
  "factor": 4.0, "original_max_position_embeddings": 32768}})",
     .fixed = R"({"max_position_embeddings": 32768, "rope_scaling": {"rope_type": "yarn",
  "factor": 4.0, "original_max_position_embeddings": 8192}})",
     .check = original_length},
    {.id = "R12",
     .name = "yarn-betas",
     .title = "yarn: beta_fast is below beta_slow, or one is 0",
     .severity = Severity::kError,
     .background =
         "YaRN keeps pairs that turn more than beta_fast times in the trained length and divides "
         "those below beta_slow. Several engines write `beta_fast or 32`, which turns 0 into 32.",
     .references = kR12,
     .broken = R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0,
  "beta_fast": 1.0, "beta_slow": 32.0}})",
     .fixed = R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0,
  "beta_fast": 32.0, "beta_slow": 1.0}})",
     .check = yarn_betas},
    {.id = "R13",
     .name = "attention-factor-range",
     .title = "attention_factor is not positive or not finite",
     .severity = Severity::kError,
     .background =
         "attention_factor multiplies cos and sin of queries and keys, the logits by its square. 0 "
         "removes all content from attention.",
     .references = kR13,
     .broken = R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0, "attention_factor": 0.0}})",
     .fixed = R"({"rope_scaling": {"rope_type": "yarn", "factor": 4.0}})",
     .check = attention_factor},
    {.id = "R14",
     .name = "factor-lists",
     .title = "longrope: entries that are not positive, or fall",
     .severity = Severity::kError,
     .background =
         "longrope divides each frequency by its entry of short_factor or long_factor. Published "
         "lists never fall; a fall hints at lost or swapped entries and is a warning.",
     .references = kR14,
     .broken = R"({"rope_scaling": {"rope_type": "longrope",
  "short_factor": [1.0, -1.1], "long_factor": [1.0, 4.0]}})",
     .fixed = R"({"rope_scaling": {"rope_type": "longrope",
  "short_factor": [1.0, 1.1], "long_factor": [1.0, 4.0]}})",
     .check = factor_lists},
};

}  // namespace

void register_ranges(LintRegistry& registry) {
  for (const LintRule& rule : kRules) registry.add(rule);
}

}  // namespace sextant
