// SPDX-License-Identifier: Apache-2.0
#include "run/document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "geometry/comparison.h"
#include "geometry/hellinger.h"
#include "run/json_values.h"
#include "run/provenance.h"

namespace sextant {
namespace {

// Sequences by length in at most 32 steps; `to` is null for "and more".
Json lengths_json(std::span<const std::int64_t> lengths) {
  Json json = Json::array();
  const auto most = static_cast<Index>(lengths.size()) - 1;
  const Index step = std::max<Index>(1, (most + 31) / 32);
  for (Index from = 0; from < most; from += step) {
    const Index to = std::min(from + step, most);
    const auto number =
        std::accumulate(lengths.begin() + from, lengths.begin() + to, std::int64_t{0});
    json.push_back({{"from", from}, {"to", to - 1}, {"sequences", number}});
  }
  if (most >= 0) json.push_back({{"from", most}, {"to", nullptr}, {"sequences", lengths.back()}});
  return json;
}

}  // namespace

Json corpus_json(const Study& study) {
  const PositionalCounts& counts = study.counts;
  Json json;
  json["name"] = study.title;
  json["sample"] = study.sample;
  json["sequences"] = counts.sequences;
  json["used"] = counts.used;
  json["tokens"] = counts.tokens;
  json["vocabulary"] = counts.vocabulary;
  json["tokenizer"] = counts.tokenizer;
  json["skipped"] = counts.skipped;
  json["lengths"] = lengths_json(counts.lengths);
  json["hash"] = input_hash_text(counts.input_hash);
  const Overlap& overlap = counts.overlap;
  json["overlap"] = {{"runs", overlap.runs},
                     {"repeated", overlap.repeated},
                     {"share", overlap.runs == 0 ? 0.0
                                                 : static_cast<double>(overlap.repeated) /
                                                       static_cast<double>(overlap.runs)}};
  json["notes"] = study.notes;
  return json;
}

namespace {

Json corrected_json(const Target& target) {
  if (!target.corrected) return {};
  const Corrected& corrected = *target.corrected;
  Json json;
  json["mean_squared"] = mean(corrected.squared);
  json["mean_squared_interval"] = or_null(target.mean_squared_interval);
  json["eigenvalues"] = corrected.eigenvalues;
  json["negative_mass"] = ranks(corrected.eigenvalues).negative_mass;
  json["estimate"] = target.metric == Metric::kHellinger || target.metric == Metric::kFisherRao
                         ? "splits"
                         : "null";
  if (target.analytic_null_squared) {
    // The second estimate: plain squares minus what equal laws would give.
    Vector second;
    for (std::size_t k = 0; k < target.plain.values().size(); ++k) {
      const double d = target.plain.values()[k];
      second.push_back(d * d - target.analytic_null_squared->values()[k]);
    }
    double sum = 0.0;
    for (const double value : second) sum += value;
    json["analytic_mean_squared"] = second.empty() ? 0.0 : sum / static_cast<double>(second.size());
    json["agreement"] = pearson(corrected.squared.values(), second);
  }
  return json;
}

Json null_json(const Target& target) {
  Json json;
  if (target.null.empty()) {
    json["mean_distance"] = nullptr;
  } else {
    double distance = 0.0, squared = 0.0;
    for (const DistanceMatrix& null : target.null) {
      distance += mean(null) / static_cast<double>(target.null.size());
      squared += mean(squares(null)) / static_cast<double>(target.null.size());
    }
    json["mean_distance"] = distance;
    json["mean_squared"] = squared;
    json["eigenvalues"] = target.null_eigenvalues;
    json["largest"] = target.null_largest;
  }
  json["analytic_mean_squared"] =
      target.analytic_null_squared ? Json(mean(*target.analytic_null_squared)) : Json();
  return json;
}

Json length_only_json(const Target& target) {
  if (!target.length_only) return {};
  return {{"mean_squared", mean(squares(*target.length_only))},
          {"correlation", pearson(target.plain.values(), target.length_only->values())}};
}

Json target_json(const Study& study) {
  const Target& target = study.target;
  const auto values = target.plain.values();
  Json json;
  json["metric"] = name(target.metric);
  json["mean_distance"] = mean(target.plain);
  json["min_distance"] = values.empty() ? 0.0 : *std::ranges::min_element(values);
  json["max_distance"] = values.empty() ? 0.0 : *std::ranges::max_element(values);
  json["rank"] = target.ranks.numerical;
  json["rank_supported"] = or_null(target.rank_supported);
  json["eigenvalues"] = target.eigenvalues;
  double trace = 0.0;
  for (const double value : target.eigenvalues) trace += std::max(value, 0.0);
  json["first_share"] = trace > 0.0 ? target.eigenvalues.front() / trace : 0.0;
  json["ranks"] = {{"entropy", target.ranks.entropy},
                   {"participation", target.ranks.participation},
                   {"share90", target.ranks.share90},
                   {"share99", target.ranks.share99}};
  json["signal_fraction"] = or_null(target.signal_fraction);
  json["sequences_needed"] = or_null(target.sequences_needed);
  json["sequences_needed_at_this_rate"] = or_null(target.sequences_needed_at_this_rate);
  json["corrected"] = corrected_json(target);
  json["null"] = null_json(target);
  json["stationary_floor"] = or_null(target.stationary_floor);
  json["stationary_floor_interval"] = or_null(target.stationary_floor_interval);
  json["stationary_floor_plain"] = or_null(target.stationary_floor_plain);
  json["ceiling"] = or_null(target.ceiling);
  json["length_only"] = length_only_json(target);
  const auto n = static_cast<double>(target.positions.size());
  const auto d = static_cast<double>(study.options.dim);
  json["break_even_rank"] = n * d / (n + d);
  json["trivial"] = target.positions.size() < 2;
  json["indistinguishable"] = target.indistinguishable;
  return json;
}

Json row_json(const ScoreRow& row) {
  const Candidate& candidate = *row.candidate;
  Json json;
  json["encoding"] = candidate.encoding;
  json["title"] = candidate.title;
  json["geometry"] = candidate.geometry;
  json["control"] = candidate.control;
  json["stress_raw"] = or_null(row.stress_raw);
  json["stress_scaled"] = or_null(row.stress_scaled);
  json["scale"] = or_null(row.scale);
  json["stress_corrected"] = or_null(row.stress_corrected);
  json["interval"] = or_null(row.interval);
  json["interval_scaled"] = or_null(row.interval_scaled);
  json["interval_raw"] = or_null(row.interval_raw);
  json["stress_null"] = or_null(row.stress_null);
  json["stress_root"] = row.stress_raw ? Json(std::sqrt(*row.stress_raw)) : Json();
  json["spearman"] = or_null(row.spearman);
  json["pearson"] = or_null(row.pearson);
  json["spearman_corrected"] = or_null(row.spearman_corrected);
  json["procrustes"] = or_null(row.procrustes);
  json["negative_mass"] = or_null(row.negative_mass);
  json["negative_share"] = candidate.negative_share;
  json["difference"] = nullptr;
  if (row.difference) {
    json["difference"] = {{"to", row.difference->to},
                          {"estimate", row.difference->estimate},
                          {"interval", or_null(row.difference->interval)}};
  }
  json["group"] = row.group;
  json["error"] = candidate.error.empty() ? Json() : Json(candidate.error);
  return json;
}

}  // namespace

double rounded(double value) {
  if (!std::isfinite(value)) return value;
  return parse_number(fmt::format("{:.5g}", value)).value_or(value);
}

Json rounded(std::span<const double> values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(rounded(value));
  return json;
}

std::vector<Index> bin_starts(Index n, Index most) {
  const Index bins = std::min(n, most);
  std::vector<Index> starts;
  starts.reserve(static_cast<std::size_t>(bins) + 1);
  for (Index b = 0; b <= bins; ++b) starts.push_back(b * n / bins);
  return starts;
}

void add_geometry(Json& document, const Study& study) {
  const Target& target = study.target;
  document["corpus"] = corpus_json(study);
  document["positions"] = study.counts.options.positions;
  document["counts"] = target.counts;
  document["reliability"] = target.reliability;
  document["excluded"] = Json::array();
  for (const ExcludedPosition& excluded : target.excluded) {
    document["excluded"].push_back({{"position", excluded.position},
                                    {"count", excluded.count},
                                    {"reliability", excluded.reliability},
                                    {"reason", excluded.reason}});
  }
  document["target"] = target_json(study);
}

void add_comparison(Json& document, const Study& study, const Study& other) {
  Json second;
  add_geometry(second, other);
  document["against"] = {{"corpus", second["corpus"]}, {"target", second["target"]}};
  const Comparison comparison = compare(study.target, other.target);
  Json& json = document["comparison"];
  json["stress"] = comparison.stress;
  json["noise"] = comparison.noise ? Json(*comparison.noise) : Json();
  json["spearman"] = comparison.spearman;
  json["corrected"] = comparison.corrected;
}

void add_score(Json& document, const Study& study) {
  document["rows"] = Json::array();
  for (const ScoreRow& row : study.score.rows) document["rows"].push_back(row_json(row));
  document["needs_values"] = Json::array();
  for (const NeedsValues& needs : study.candidates.needs_values)
    document["needs_values"].push_back({{"encoding", needs.encoding}, {"reason", needs.reason}});
}

std::string result_lines(const Json& document) {
  std::string lines;
  const auto add = [&](const Json& line) { lines += to_line(line) + "\n"; };
  const Json common = {{"schema", 1},
                       {"version", document["version"]},
                       {"corpus", document["corpus"]["hash"]},
                       {"positions", document["positions"]}};
  for (const Json& encoding : document["encodings"])
    add({{"schema", 1}, {"describes", "encoding"}, {"encoding", encoding}});
  add({{"schema", 1},
       {"describes", "analysis"},
       {"analysis", "stress"},
       {"question", "How well do an encoding's distances between positions match the corpus's?"}});
  Json target = common;
  target["analysis"] = "target";
  target["values"] = document["target"];
  add(target);
  for (const Json& row : document["rows"]) {
    Json line = common;
    line["analysis"] = "stress";
    line["encoding"] = row["encoding"];
    line["geometry"] = row["geometry"];
    line["values"] = row;
    add(line);
  }
  add({{"schema", 1},
       {"describes", "analysis"},
       {"analysis", "group"},
       {"question", "Which one-parameter group is an encoding, if any?"}});
  for (const Json& row : document["groups"]["rows"])
    add({{"schema", 1},
         {"version", document["version"]},
         {"analysis", "group"},
         {"encoding", row["encoding"]},
         {"values", row}});
  add({{"schema", 1},
       {"describes", "analysis"},
       {"analysis", "claim"},
       {"question", "Does a claim of the literature hold where it can be computed?"}});
  for (const Json& claim : document["claims"])
    add({{"schema", 1},
         {"version", document["version"]},
         {"analysis", "claim"},
         {"claim", claim["id"]},
         {"values", claim}});
  return lines;
}

}  // namespace sextant
