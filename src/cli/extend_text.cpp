// SPDX-License-Identifier: Apache-2.0
#include "cli/extend_text.h"

#include <fmt/format.h>

#include "base/rounding.h"
#include "base/text.h"

namespace sextant::cli {
namespace {

constexpr std::string_view kLegend =
    "beyond: pairs whose phases leave what training has shown, by so many radians at most. "
    "colliding: lags that act as a smaller one does. nearest: how close lags 64 apart or more "
    "come, "
    "root mean square over pairs, 2 at most, and how far apart they are. drift: largest change of "
    "the kernel at lags 1 to 64, by K(0), which fine-tuning must repair; shape: the same without "
    "the "
    "factor on all logits. step: distance of neighbouring positions by the unscaled one.";

constexpr std::string_view kLimits =
    "Nothing was trained and no text was read. The measures see angles, not weights; they "
    "reward rules that change little and give no credit for a temperature such as YaRN's, which "
    "was "
    "made for little or no training. Measure perplexity and retrieval at the new length before you "
    "rely on it.";

std::string row_text(const ExtensionCandidate& candidate) {
  const ExtensionMeasures& m = candidate.measures;
  const std::string beyond = m.beyond == 0 ? "0" : fmt::format("{} ({:.2f})", m.beyond, m.excess);
  return fmt::format("{:<12} {:>7} {:>11} {:>9} {:>8.3f} {:>9} {:>7.3f} {:>7.3f} {:>7.3f} {:>6.3f}",
                     candidate.method, m.turning, beyond, m.colliding, m.nearest, m.nearest_lag,
                     m.drift, m.shape_drift, m.logit_factor, m.resolution);
}

// Ladders by their method: the spec of longrope has two numbers per pair.
std::string scores_text(const Json& scores, const ExtensionReport& report) {
  std::string text = "\nAgainst the geometry of the corpus:\n";
  for (const Json& row : scores) {
    const Json stress = row.value("stress_scaled", Json());
    std::string encoding = row.value("encoding", "");
    for (const ExtensionCandidate& each : report.candidates)
      if (!each.map && each.ladder.spec == encoding) encoding = each.method;
    text += fmt::format("  {:<34} {:<9} {}\n", encoding, row.value("geometry", ""),
                        stress.is_number() ? fmt::format("{:.4f}", stress.get<double>()) : "-");
  }
  return text;
}

Json candidate_json(const ExtensionCandidate& candidate) {
  const ExtensionMeasures& m = candidate.measures;
  Json json;
  json["method"] = candidate.method;
  json["encoding"] = candidate.ladder.spec;
  json["factor"] = candidate.factor;
  json["map"] = nullptr;
  if (candidate.map)
    json["map"] = {{"window", candidate.map->window}, {"group", candidate.map->group}};
  json["magnitude"] = to_double(candidate.ladder.magnitude);
  json["turning"] = m.turning;
  json["beyond"] = m.beyond;
  json["excess"] = m.excess;
  json["colliding"] = m.colliding;
  json["nearest"] = m.nearest;
  json["nearest_lag"] = m.nearest_lag;
  json["drift"] = m.drift;
  json["shape_drift"] = m.shape_drift;
  json["logit_factor"] = m.logit_factor;
  json["resolution"] = m.resolution;
  return json;
}

}  // namespace

std::string extension_text(const ExtensionAnswer& answer, const Style& style) {
  const ExtensionSubject& subject = answer.subject;
  const ExtensionReport& report = answer.report;
  std::string text = fmt::format(
      "{}  {} -> {} positions, factor {}\n", style.bold(subject.spec), subject.trained, subject.to,
      shortest(static_cast<double>(subject.to) / static_cast<double>(subject.trained)));
  text += fmt::format("{} of {} pairs complete a turn in the trained length\n",
                      report.trained_turning, report.pairs);
  for (const std::string& each : subject.notes)
    text += wrapped(fmt::format("note: {}", each), output_width(), 2) + "\n";
  text += "\n" +
          style.bold(fmt::format("{:<12} {:>7} {:>11} {:>9} {:>8} {:>9} {:>7} {:>7} {:>7} {:>6}",
                                 "method", "turning", "beyond", "colliding", "nearest", "at lag",
                                 "drift", "shape", "logits", "step")) +
          "\n";
  for (const ExtensionCandidate& each : report.candidates) text += row_text(each) + "\n";
  text += "\n" + wrapped(kLegend, output_width(), 0) + "\n";
  if (!answer.scores.is_null()) text += scores_text(answer.scores, report);
  text += "\n" + wrapped(fmt::format("Suggested: {}: {}.", report.recommended, report.reason),
                         output_width(), 0);
  text += "\n" + wrapped(fmt::format("Limits: {}", kLimits), output_width(), 0) + "\n";
  const Json snippet = extension_snippet(subject, answer.chosen, answer.spelling);
  text += "\n" +
          style.bold(snippet.empty() ? answer.chosen.method
                                     : fmt::format("config.json for {}", answer.chosen.method)) +
          "\n";
  if (!snippet.empty()) text += to_text(snippet);
  for (const std::string& each : extension_remarks(subject, answer.chosen, answer.spelling))
    text += wrapped(fmt::format("- {}", each), output_width(), 2) + "\n";
  return text;
}

Json extension_json(const ExtensionAnswer& answer) {
  Json json;
  json["encoding"] = answer.subject.spec;
  json["trained"] = answer.subject.trained;
  json["to"] = answer.subject.to;
  json["pairs"] = answer.report.pairs;
  json["trained_turning"] = answer.report.trained_turning;
  json["notes"] = answer.subject.notes;
  json["rows"] = Json::array();
  for (const ExtensionCandidate& each : answer.report.candidates)
    json["rows"].push_back(candidate_json(each));
  json["scores"] = answer.scores;
  json["suggested"] = {
      {"method", answer.report.recommended}, {"reason", answer.report.reason}, {"limits", kLimits}};
  json["method"] = answer.chosen.method;
  const Json snippet = extension_snippet(answer.subject, answer.chosen, answer.spelling);
  json["spelling"] = answer.spelling == ConfigSpelling::kV4 ? "v4" : "v5";
  json["config"] = snippet.empty() ? Json() : snippet;
  json["remarks"] = extension_remarks(answer.subject, answer.chosen, answer.spelling);
  return json;
}

}  // namespace sextant::cli
