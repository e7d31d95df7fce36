// SPDX-License-Identifier: Apache-2.0
// R38-R39: wavelengths against lengths. Information, no fault: models differ in this on purpose.
#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "base/text.h"
#include "model/lint_places.h"
#include "model/phase_error.h"

namespace sextant {
namespace {

using Findings = std::vector<LintFinding>;

// 2 pi / frequency of the pairs that turn.
std::vector<double> wavelengths(const LintSubject& subject, const LayerGroup& group) {
  std::vector<double> result;
  const RotaryOperator* made = sound_operator(subject, group);
  if (made == nullptr) return result;
  for (const double frequency : doubles(made->inv_freq))
    if (frequency > 0.0) result.push_back(2.0 * std::numbers::pi / frequency);
  return result;
}

void longest_wavelength(const LintSubject& subject, Findings& findings) {
  const Model& model = subject.model;
  if (model.max_positions <= 0) return;
  for (const LayerGroup* group : turning_groups(model)) {
    const std::vector<double> waves = wavelengths(subject, *group);
    if (waves.empty()) continue;
    const double longest = *std::ranges::max_element(waves);
    const double ratio = longest / static_cast<double>(model.max_positions);
    findings.push_back(
        {.severity = Severity::kNote,
         .where = theta_place(subject, *group),
         .message = fmt::format("the longest wavelength of {} is {:.0f}, {:.3g} times the {} "
                                "positions{}",
                                group->name == "all" ? "all layers" : group->name, longest, ratio,
                                model.max_positions,
                                ratio < 1.0 ? ": even the slowest pair repeats within them" : ""),
         .change = ratio < 1.0
                       ? "train with a larger theta, or keep to positions below the longest "
                         "wavelength"
                       : "nothing: every position has its own angle in the slowest pair",
         .values = {{"wavelength", longest}, {"ratio", ratio}}});
  }
}

void unfinished_turns(const LintSubject& subject, Findings& findings) {
  const Model& model = subject.model;
  for (const LayerGroup* group : turning_groups(model)) {
    const double trained = group->rope.original.value_or(static_cast<double>(model.max_positions));
    if (!(trained > 0.0)) continue;
    const std::vector<double> waves = wavelengths(subject, *group);
    const auto slow = std::ranges::count_if(waves, [&](double wave) { return wave > trained; });
    if (slow == 0) continue;
    findings.push_back(
        {.severity = Severity::kNote,
         .where = theta_place(subject, *group),
         .message = fmt::format("{} of {} pairs do not complete a turn in {:.0f} positions: beyond "
                                "that length they show angles that training never did",
                                slow, waves.size(), trained),
         .change = fmt::format("nothing within {:.0f} positions; beyond them choose a scaling with "
                               "sextant extend --to L",
                               trained),
         .values = {{"pairs", static_cast<double>(slow)},
                    {"all_pairs", static_cast<double>(waves.size())},
                    {"length", trained}}});
  }
}

constexpr std::string_view kR38[] = {"vllm#9490", "arXiv:2310.05209"};
constexpr std::string_view kR39[] = {"arXiv:2310.05209", "arXiv:2309.00071"};

constexpr LintRule kRules[] = {
    {.id = "R38",
     .name = "longest-wavelength",
     .title = "the longest wavelength against the context",
     .severity = Severity::kNote,
     .background =
         "The slowest pair has a wavelength of 2 pi theta^((d-2)/d): 54410 for theta 10000 and d "
         "128. Where it is shorter than the context, no pair tells the two ends apart.",
     .references = kR38,
     .broken = R"({"rope_theta": 10000.0, "max_position_embeddings": 131072})",
     .fixed = R"({"model_type": "gpt2", "n_positions": 1024})",
     .check = longest_wavelength},
    {.id = "R39",
     .name = "unfinished-turns",
     .title = "pairs that never complete a turn in training",
     .severity = Severity::kNote,
     .background =
         "A pair whose wavelength exceeds the trained length has shown only some of its angles. "
         "These pairs decide how a model behaves beyond that length.",
     .references = kR39,
     .broken = R"({"rope_theta": 500000.0, "max_position_embeddings": 8192})",
     .fixed = R"({"rope_theta": 500.0, "max_position_embeddings": 8192})",
     .check = unfinished_turns},
};

}  // namespace

void register_geometry(LintRegistry& registry) {
  for (const LintRule& rule : kRules) registry.add(rule);
}

}  // namespace sextant
