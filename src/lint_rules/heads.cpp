// SPDX-License-Identifier: Apache-2.0
// R20-R24: how many coordinates of a head turn, and on which axis.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "model/lint_places.h"

namespace sextant {
namespace {

using Findings = std::vector<LintFinding>;

// As the file says it: a rotary_dim that does not fit the head has no fraction.
std::optional<Index> stated_dim(const LintSubject& subject, const LayerGroup& group) {
  if (!group.rope.partial) {
    for (const ConfigObject& scope : config_scopes(subject)) {
      const std::optional<double> written = number_at(scope, "rotary_dim");
      if (written && std::abs(*written) < 1e9) return static_cast<Index>(*written);
    }
  }
  return turned_dim(subject.model, group);
}

void rotary_dimension(const LintSubject& subject, Findings& findings) {
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const std::optional<Index> rotated = stated_dim(subject, *group);
    if (!rotated || subject.model.head_dim <= 0) continue;
    const Index head_dim = subject.model.head_dim;
    const bool fits = *rotated >= 2 && *rotated % 2 == 0 && *rotated <= head_dim;
    if (fits) continue;
    const std::string why = *rotated < 1          ? "no pair turns, so that positions are invisible"
                            : *rotated > head_dim ? "a head does not have so many"
                                                  : "one coordinate has no partner";
    findings.push_back(
        {.severity = Severity::kError,
         .where = key_place(subject, *group,
                            {"partial_rotary_factor", "rotary_pct", "rotary_dim", "rope_pct",
                             "qk_rope_head_dim", "head_dim"}),
         .message = fmt::format("{} of {} coordinates would turn: {}", *rotated, head_dim, why),
         .change = "the rotated part must be even, at least 2 and at most head_dim",
         .values = {{"rotary_dim", static_cast<double>(*rotated)},
                    {"head_dim", static_cast<double>(head_dim)}}});
  }
}

void mrope_sections(const LintSubject& subject, Findings& findings) {
  constexpr std::size_t kAxes = 3;  // time, height, width
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const std::vector<Index>& sections = group->rope.mrope_section;
    const std::optional<Index> rotated = turned_dim(subject.model, *group);
    if (sections.empty() || !rotated) continue;
    const double sum = std::accumulate(
        sections.begin(), sections.end(), 0.0,
        [](double total, Index section) { return total + static_cast<double>(section); });
    const Index half = *rotated / 2;
    const auto pairs = static_cast<double>(half);
    const bool is_negative = std::ranges::any_of(sections, [](Index each) { return each < 0; });
    const std::string where = key_place(subject, *group, {"mrope_section"});
    if (sum != pairs || is_negative) {
      findings.push_back(
          {.severity = Severity::kError,
           .where = where,
           .message = fmt::format("mrope_section [{}] adds up to {:.0f} but {:.0f} pairs turn: the "
                                  "pairs beyond the last section get a wrong axis or none",
                                  fmt::join(sections, ", "), sum, pairs),
           .change = "the sections are counted in pairs and must cover half the rotated part",
           .values = {{"sum", sum}, {"pairs", pairs}}});
    } else if (sections.size() != kAxes) {
      findings.push_back(
          {.severity = Severity::kWarning,
           .where = where,
           .message = fmt::format("mrope_section has {} sections, where engines expect {} (time, "
                                  "height, width): a fused kernel drops or repeats an axis",
                                  sections.size(), kAxes),
           .change = "make sure that the engine knows this number of axes",
           .values = {{"sections", static_cast<double>(sections.size())}}});
    }
  }
}

void partial_with_mrope(const LintSubject& subject, Findings& findings) {
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const RopeKeys& rope = group->rope;
    if (rope.mrope_section.empty() || !rope.partial || *rope.partial == 1.0) continue;
    findings.push_back(
        {.severity = Severity::kWarning,
         .where = key_place(subject, *group, {"partial_rotary_factor", "rotary_pct", "rotary_dim"}),
         .message =
             fmt::format("a partial factor of {:.4g} together with mrope_section: engines that "
                         "ignore it whenever mrope is on turn all {} coordinates",
                         *rope.partial, subject.model.head_dim),
         .change = "compare the engine's logits with those of the reference before you trust them",
         .values = {{"partial", *rope.partial}}});
  }
}

// What a spelling says as a fraction of a head.
std::optional<double> fraction(const ConfigObject& object, const std::string& key,
                               const Model& model) {
  const std::optional<double> value = number_at(object, key);
  if (!value || key != "rotary_dim") return value;
  if (model.head_dim <= 0) return std::nullopt;
  return *value / static_cast<double>(model.head_dim);
}

void partial_aliases(const LintSubject& subject, Findings& findings) {
  std::vector<ConfigObject> objects = config_scopes(subject);
  std::ranges::copy(rope_objects(subject), std::back_inserter(objects));
  std::string first_place;
  double first = 0.0;
  for (const ConfigObject& object : objects) {
    for (const char* key :
         {"partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_percentage", "rotary_dim"}) {
      const std::optional<double> value = fraction(object, key, subject.model);
      if (!value) continue;
      const std::string place = fmt::format("{}/{}", object.pointer, key);
      if (first_place.empty()) {
        first_place = place;
        first = *value;
      } else if (std::abs(*value - first) > 1e-6) {
        findings.push_back(
            {.severity = Severity::kWarning,
             .where = place,
             .message = fmt::format("{} of a head turns here but {} at {}: engines read one of the "
                                    "two, and the pairs beyond the smaller part are wrong from "
                                    "position 1 on",
                                    shortest(*value), shortest(first), first_place),
             .change = "keep one spelling",
             .values = {{"here", *value}, {"other", first}}});
      }
    }
  }
}

void dynamic_of_two(const LintSubject& subject, Findings& findings) {
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const bool stretches = group->rope.type == "dynamic" || group->rope.type == "ntk";
    if (!stretches || turned_dim(subject.model, *group) != 2) continue;
    findings.push_back({.severity = Severity::kError,
                        .where = key_place(subject, *group, {"rope_type", "type"}),
                        .message = fmt::format(
                            "{} raises theta to the power d/(d-2), and d is 2: the division by 0 "
                            "makes every frequency infinite or not a number",
                            group->rope.type),
                        .change = "use linear, or turn more than one pair",
                        .values = {{"rotary_dim", 2.0}}});
  }
}

constexpr std::string_view kR20[] = {"transformers#48217", "transformers#48630"};
constexpr std::string_view kR21[] = {"vllm#55140", "sglang#31806", "diffusers#12538"};
constexpr std::string_view kR22[] = {"vllm#43770", "maxtext#4616"};
constexpr std::string_view kR23[] = {"transformers#48630", "vllm#43770"};
constexpr std::string_view kR24[] = {"transformers#25104"};

constexpr LintRule kRules[] = {
    {.id = "R20",
     .name = "rotary-dim",
     .title = "the rotated part of a head is odd, empty or larger than the head",
     .severity = Severity::kError,
     .background =
         "Coordinates turn in pairs. An odd rotated part is accepted by several loaders and fails "
         "at the first forward pass; a factor above 1 reads beyond the head.",
     .references = kR20,
     .broken = R"({"head_dim": 65})",
     .fixed = R"({"head_dim": 64})",
     .check = rotary_dimension},
    {.id = "R21",
     .name = "mrope-sections",
     .title = "mrope_section does not cover the pairs, or has not three parts",
     .severity = Severity::kError,
     .background = "Each section of mrope turns its pairs with one axis of the position. Sections "
                   "are counted "
                   "in pairs; engines expect three.",
     .references = kR21,
     .broken = R"({"head_dim": 128, "rope_scaling": {"type": "mrope",
  "mrope_section": [16, 24, 16]}})",
     .fixed = R"({"head_dim": 128, "rope_scaling": {"type": "mrope",
  "mrope_section": [16, 24, 24]}})",
     .check = mrope_sections},
    {.id = "R22",
     .name = "partial-with-mrope",
     .title = "a partial factor together with mrope",
     .severity = Severity::kWarning,
     .background =
         "Several engines take the branch for mrope before they look at partial_rotary_factor and "
         "turn whole heads.",
     .references = kR22,
     .broken = R"({"head_dim": 128, "partial_rotary_factor": 0.5, "rope_scaling":
  {"type": "mrope", "mrope_section": [8, 12, 12]}})",
     .fixed = R"({"head_dim": 128, "rope_scaling":
  {"type": "mrope", "mrope_section": [16, 24, 24]}})",
     .check = partial_with_mrope},
    {.id = "R23",
     .name = "partial-aliases",
     .title = "two spellings of the partial factor disagree",
     .severity = Severity::kWarning,
     .background =
         "rotary_pct, rotary_dim and partial_rotary_factor say the same thing. A conversion that "
         "adds one and keeps the other leaves two values.",
     .references = kR23,
     .broken = R"({"rotary_pct": 0.25, "partial_rotary_factor": 0.5})",
     .fixed = R"({"rotary_pct": 0.25, "partial_rotary_factor": 0.25})",
     .check = partial_aliases},
    {.id = "R24",
     .name = "dynamic-of-two",
     .title = "dynamic scaling of a single pair divides by 0",
     .severity = Severity::kError,
     .background =
         "NTK scalings raise theta by a power of d/(d-2), so that the slowest pair is stretched by "
         "the factor. With two rotated coordinates the exponent has no value.",
     .references = kR24,
     .broken = R"({"head_dim": 2, "rope_scaling": {"rope_type": "dynamic", "factor": 2.0}})",
     .fixed = R"({"head_dim": 2, "rope_scaling": {"rope_type": "linear", "factor": 2.0}})",
     .check = dynamic_of_two},
};

}  // namespace

void register_heads(LintRegistry& registry) {
  for (const LintRule& rule : kRules) registry.add(rule);
}

}  // namespace sextant
