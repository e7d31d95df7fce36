// SPDX-License-Identifier: Apache-2.0
#include "run/trial_document.h"

#include <filesystem>
#include <set>

#include "base/text.h"
#include "geometry/candidate.h"
#include "io/json_input.h"
#include "run/json_values.h"
#include "run/provenance.h"
#include "training/trial_json.h"

namespace sextant {
namespace {

constexpr const char* kAnalysis = "training";

Json training_options(const TrainingRun& run) {
  Json json = setup_json(run.common);
  json.erase("task");
  json["encodings"] = Json::array();
  for (const std::string& encoding : run.encodings)
    json["encodings"].push_back(shown_encoding(encoding));
  json["seed"] = run.common.seed;
  json["seeds"] = run.seeds;
  json["metric"] = name(run.asked.metric);
  json["against"] = run.asked.against.empty() ? Json() : Json(shown_encoding(run.asked.against));
  return json;
}

Json baselines_json(const TrainingRun& run) {
  Json json = Json::array();
  for (const LengthBaselines& each : run.baselines) {
    for (const Baseline& baseline : each.baselines) {
      json.push_back({{"length", each.length},
                      {"name", baseline.name},
                      {"metric", baseline.of_accuracy ? "accuracy" : "loss"},
                      {"value", baseline.value},
                      {"how", baseline.how},
                      {"caution", baseline.caution}});
    }
  }
  return json;
}

std::string_view end_of(const TrialOutcome& outcome) {
  if (!outcome.result) return "failed";
  return outcome.result->end == TrialEnd::kFinished ? "finished" : "not finite";
}

std::string fault_of(const TrialOutcome& outcome) {
  return outcome.result ? outcome.result->fault : outcome.error;
}

Json row_json(const TrialOutcome& outcome, Index length, TrialMetric metric) {
  const Evaluation* found = nullptr;
  if (outcome.result) {
    for (const Evaluation& each : outcome.result->evaluations)
      if (each.length == length) found = &each;
  }
  Json row = {{"encoding", shown_encoding(outcome.trial.encoding)},
              {"seed", outcome.trial.seed},
              {"length", length},
              {"metric", name(metric)},
              {"value", or_null(value_at(outcome, length, metric))},
              {"loss", found == nullptr ? Json() : Json(found->loss)},
              {"accuracy", found == nullptr ? Json() : or_null(found->accuracy)},
              {"end", end_of(outcome)},
              {"fault", fault_of(outcome)},
              {"parameters", outcome.result ? Json(outcome.result->parameters) : Json()},
              {"framework", outcome.result ? Json(outcome.result->framework) : Json()},
              {"folder", outcome.folder}};
  if (found != nullptr && !found->loss_by_position.empty())
    row["loss_by_position"] = found->loss_by_position;
  return row;
}

Json summary_json(const TrainingFindings& findings) {
  Json json = Json::array();
  for (const EncodingSummary& each : findings.summaries) {
    const Summary& s = each.values;
    json.push_back(
        {{"encoding", shown_encoding(each.encoding)},
         {"length", each.length},
         {"mean", s.mean},
         {"sd", or_null(s.sd)},
         {"ci", s.half_width ? Json{s.mean - *s.half_width, s.mean + *s.half_width} : Json()},
         {"median", s.median},
         {"q1", s.q1},
         {"q3", s.q3},
         {"seeds", s.count}});
  }
  return json;
}

Json comparisons_json(const TrainingFindings& findings) {
  Json json = Json::array();
  for (const EncodingComparison& each : findings.comparisons) {
    json.push_back({{"a", shown_encoding(each.a)},
                    {"b", shown_encoding(each.b)},
                    {"length", each.length},
                    {"pairs", each.test.pairs},
                    {"difference", or_null(each.test.difference)},
                    {"p_t", or_null(each.test.p_t)},
                    {"p_wilcoxon", or_null(each.test.p_wilcoxon)},
                    {"p_holm", or_null(each.p_holm)}});
  }
  return json;
}

Json curves_json(const TrainingRun& run) {
  Json json = Json::array();
  for (const TrialOutcome& outcome : run.outcomes) {
    if (!outcome.result) continue;
    Json curve = {{"encoding", shown_encoding(outcome.trial.encoding)},
                  {"seed", outcome.trial.seed},
                  {"step", Json::array()},
                  {"loss", Json::array()}};
    for (const CurvePoint& point : outcome.result->curve) {
      curve["step"].push_back(point.step);
      curve["loss"].push_back(point.loss);
    }
    json.push_back(std::move(curve));
  }
  return json;
}

}  // namespace

Json setup_json(const Trial& trial) {
  Json json = trial_json(trial);
  for (const char* key : {"encoding", "seed"}) json.erase(key);
  for (Json& input : json["corpus"]["inputs"])
    input = std::filesystem::path(input.get<std::string>()).filename().string();
  json["weights"] = std::filesystem::path(trial.weights).filename().string();
  return json;
}

std::string shown_encoding(std::string_view spec) { return without_folders(spec); }

void add_training(Json& document, const TrainingRun& run) {
  document["task"] = run.common.task;
  document["options"] = training_options(run);
  document["baselines"] = baselines_json(run);
  document["rows"] = Json::array();
  std::set<std::string> frameworks;
  for (const TrialOutcome& outcome : run.outcomes) {
    for (const Index length : run.common.test_lengths)
      document["rows"].push_back(row_json(outcome, length, run.asked.metric));
    if (outcome.result) frameworks.insert(outcome.result->framework);
  }
  document["summary"] = summary_json(run.findings);
  document["comparisons"] = comparisons_json(run.findings);
  document["curves"] = curves_json(run);
  document["provenance"] = build_json();
  document["provenance"]["frameworks"] = frameworks;
  document["provenance"]["input_hash"] = run.corpus_hash.empty() ? Json() : Json(run.corpus_hash);
}

std::string lines_of_others(std::string_view before, std::string_view where) {
  std::string lines;
  Index number = 0;
  for (const std::string_view line : split(before, '\n')) {
    ++number;
    if (line.empty()) continue;
    const JsonInput old = parse_json(line, fmt::format("{}: line {}", where, number));
    if (old.is_object() && old.contains("analysis") && old["analysis"] == kAnalysis) continue;
    lines += line;
    lines += '\n';
  }
  return lines;
}

std::string training_lines(const Json& document) {
  std::string lines;
  const auto add = [&lines](const Json& line) { lines += to_line(line) + "\n"; };
  add({{"schema", 1},
       {"describes", "analysis"},
       {"analysis", kAnalysis},
       {"question",
        "How well does a transformer with an encoding learn a task, also beyond the "
        "length of training?"}});
  // What all trials share: encoding, seed and metric are those of the row.
  Json setup = document["options"];
  for (const char* key : {"encodings", "seed", "seeds", "metric", "against"}) setup.erase(key);
  for (const Json& row : document["rows"]) {
    add({{"schema", 1},
         {"version", document["version"]},
         {"corpus", document["provenance"]["input_hash"]},
         {"analysis", kAnalysis},
         {"task", document["task"]},
         {"encoding", row["encoding"]},
         {"options", setup},
         {"provenance", document["provenance"]},
         {"values", row}});
  }
  return lines;
}

Json task_json(const TaskInfo& info) {
  Json json = {{"name", info.name},
               {"title", info.title},
               {"reference", info.reference},
               {"notes", info.notes},
               {"params", Json::array()},
               {"needs_corpus", info.needs_corpus},
               {"needs_labels", info.needs_labels},
               {"causal", info.causal},
               {"any_length", info.any_length}};
  for (const ParamInfo& param : info.params)
    json["params"].push_back(
        {{"name", param.name}, {"default", param.default_text}, {"doc", param.doc}});
  json["examples"] = Json::array();
  for (const std::string_view example : info.examples) json["examples"].push_back(example);
  return json;
}

}  // namespace sextant
