// SPDX-License-Identifier: Apache-2.0
#include "run/theorem_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <new>

#include "base/parallel.h"
#include "run/json_values.h"
#include "sextant/error.h"

namespace sextant {
namespace {

CheckedTheorem checked(const TheoremRegistry::Entry& entry, const TheoremOptions& options) {
  CheckedTheorem result{.info = entry.info};
  try {
    result.check = entry.check(options);
  } catch (const Error& error) {
    result.error = error.what();
  } catch (const std::bad_alloc&) {
    result.error = "not enough memory";
  }
  if (result.error)
    result.check = {.verdict = ClaimVerdict::kNotTestable,
                    .reason = fmt::format("the check could not run: {}", *result.error)};
  return result;
}

Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(); }
Json finite(const std::optional<double>& value) { return value ? finite(*value) : Json(); }

Json finite(std::span<const double> values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(finite(value));
  return json;
}

// observed, interval, lower and bound.
void add_numbers(Json& json, const Finding* finding) {
  const bool any = finding != nullptr;
  json["observed"] = any ? finite(finding->observed) : Json();
  json["interval"] = any && finding->interval ? finite(*finding->interval) : Json();
  json["lower"] = any ? finite(finding->lower) : Json();
  json["bound"] = any ? finite(finding->bound) : Json();
}

Json finding_json(const Finding& finding) {
  Json json = {{"part", finding.part}, {"quantity", finding.quantity}};
  add_numbers(json, &finding);
  json["verdict"] = name(finding.verdict);
  json["remark"] = finding.remark;
  return json;
}

// Evenly spaced points, the first and the last among them.
Figure::Curve thinned(const Figure::Curve& curve) {
  Figure::Curve result{.name = curve.name, .x = {}, .y = {}};
  const std::size_t points = curve.x.size(), kept = std::min(points, kMostFigurePoints);
  result.x.reserve(kept);
  result.y.reserve(kept);
  for (std::size_t k = 0; k < kept; ++k) {
    const std::size_t at = kept == points ? k : k * (points - 1) / (kept - 1);
    result.x.push_back(curve.x[at]);
    result.y.push_back(rounded(curve.y[at]));
  }
  return result;
}

}  // namespace

Json figure_json(const Figure& figure, FigurePoints points) {
  Json json = {{"title", figure.title}, {"x_label", figure.x_label}, {"y_label", figure.y_label},
               {"log_x", figure.log_x}, {"log_y", figure.log_y},     {"curves", Json::array()}};
  for (const Figure::Curve& all : figure.curves) {
    const Figure::Curve curve = points == FigurePoints::kThinned ? thinned(all) : all;
    json["curves"].push_back(
        {{"name", curve.name}, {"x", finite(curve.x)}, {"y", finite(curve.y)}});
  }
  return json;
}

std::vector<TheoremRegistry::Entry> chosen_theorems(std::span<const std::string> ids) {
  const std::span<const TheoremRegistry::Entry> all = theorems().entries();
  if (ids.empty()) return {all.begin(), all.end()};
  std::vector<TheoremRegistry::Entry> chosen;
  for (const std::string& id : ids) {
    const TheoremRegistry::Entry& entry = theorems().find(id);
    if (std::ranges::find(chosen, entry.info, &TheoremRegistry::Entry::info) == chosen.end())
      chosen.push_back(entry);
  }
  return chosen;
}

std::vector<CheckedTheorem> check_theorems(std::span<const TheoremRegistry::Entry> entries,
                                           const TheoremOptions& options, Index threads,
                                           const CheckProgress& progress) {
  validate(options);
  std::vector<CheckedTheorem> results(entries.size());
  // Some checks take long and some no time: each thread takes the next one that is left.
  std::atomic<std::size_t> next = 0, done = 0;
  const Index workers = std::min(threads, static_cast<Index>(entries.size()));
  parallel_for(workers, workers, [&](Index, Index) {
    for (std::size_t k = next++; k < entries.size(); k = next++) {
      results[k] = checked(entries[k], options);
      if (progress) progress(++done, entries.size(), *entries[k].info);
    }
  });
  return results;
}

bool applies(const Finding& finding) { return std::isfinite(finding.observed); }

const Finding* decisive_finding(const TheoremCheck& check) {
  return check.decisive < check.findings.size() ? &check.findings[check.decisive] : nullptr;
}

std::string note_path(const TheoremInfo& info) { return fmt::format("docs/math/{}.md", info.name); }

Json theorem_info_json(const TheoremInfo& info) {
  Json json = {{"id", info.id},
               {"name", info.name},
               {"title", info.title},
               {"source", info.source},
               {"claim", info.claim},
               {"statement", info.statement},
               {"conditions", Json::array()}};
  for (const std::string_view condition : info.conditions) json["conditions"].push_back(condition);
  return json;
}

Json theorem_options_json(const TheoremOptions& options) {
  return {{"train", options.train}, {"to", options.to},       {"dim", options.dim},
          {"heads", options.heads}, {"alpha", options.alpha}, {"encodings", options.encodings},
          {"seed", options.seed}};
}

Json theorem_json(const CheckedTheorem& checked, FigurePoints points) {
  const TheoremCheck& check = checked.check;
  const Finding* const decisive = decisive_finding(check);
  Json json = theorem_info_json(*checked.info);
  json["verdict"] = check.verdict == ClaimVerdict::kNotTestable
                        ? fmt::format("{}: {}", name(check.verdict), check.reason)
                        : std::string(name(check.verdict));
  json["reason"] = check.reason;
  json["part"] = decisive == nullptr ? Json() : Json(decisive->part);
  json["quantity"] = decisive == nullptr ? Json() : Json(decisive->quantity);
  add_numbers(json, decisive);
  json["findings"] = Json::array();
  for (const Finding& finding : check.findings) json["findings"].push_back(finding_json(finding));
  json["figures"] = Json::array();
  for (const Figure& figure : check.figures) json["figures"].push_back(figure_json(figure, points));
  json["note"] = note_path(*checked.info);
  if (checked.error) json["error"] = *checked.error;
  return json;
}

Json all_claims_json(std::uint64_t seed, Index threads) {
  Json json = Json::array();
  for (const CheckedTheorem& checked :
       check_theorems(theorems().entries(), {.seed = seed}, threads))
    json.push_back(theorem_json(checked, FigurePoints::kThinned));
  return json;
}

}  // namespace sextant
