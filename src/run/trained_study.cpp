// SPDX-License-Identifier: Apache-2.0
#include "run/trained_study.h"

#include "run/json_values.h"
#include "run/theorem_document.h"
#include "run/trial_document.h"
#include "training/statistics.h"
#include "training/trial_plan.h"

namespace sextant {
namespace {

Json number_json(const StudyNumber& number) {
  Json json = {{"arm", number.arm},
               {"quantity", number.quantity},
               {"values", number.values},
               {"seeds", number.seeds}};
  if (number.values.empty()) {
    for (const char* key : {"mean", "sd", "median", "q1", "q3"}) json[key] = nullptr;
  } else {
    const Summary values = summary(number.values);
    json["mean"] = values.mean;
    json["sd"] = or_null(values.sd);
    json["median"] = values.median;
    json["q1"] = values.q1;
    json["q3"] = values.q3;
  }
  json["control"] = number.control.empty() ? Json() : Json(number.control);
  json["against"] = or_null(number.against);
  return json;
}

Json failed_json(const StudyOutcome& each) {
  const TrialOutcome& outcome = each.outcome;
  return {{"arm", each.arm},
          {"encoding", shown_encoding(outcome.trial.encoding)},
          {"seed", outcome.trial.seed},
          {"reason", outcome.result ? outcome.result->fault : outcome.error}};
}

}  // namespace

TrainedStudy planned_study(const StudyRegistry::Entry& entry, const StudySetup& setup,
                           const std::filesystem::path& folder) {
  TrainedStudy study{.info = entry.info};
  for (StudyTrial& each : entry.plan(setup)) {
    const std::string name = trial_folder(each.trial);
    study.outcomes.push_back({.arm = std::move(each.arm),
                              .outcome = {.trial = std::move(each.trial), .folder = name},
                              .folder = folder / name});
  }
  return study;
}

Json study_info_json(const StudyInfo& info) {
  return {{"name", info.name},         {"title", info.title},
          {"claim", info.claim},       {"question", info.question},
          {"controls", info.controls}, {"needs_corpus", info.needs_corpus}};
}

Json study_json(const TrainedStudy& study) {
  Json json = study_info_json(*study.info);
  json["trials"] = study.outcomes.size();
  json["failed"] = Json::array();
  for (const StudyOutcome& each : study.outcomes)
    if (!finished(each)) json["failed"].push_back(failed_json(each));
  json["numbers"] = Json::array();
  for (const StudyNumber& number : study.findings.numbers)
    json["numbers"].push_back(number_json(number));
  json["sentences"] = study.findings.sentences;
  json["figures"] = Json::array();
  for (const Figure& figure : study.findings.figures)
    json["figures"].push_back(figure_json(figure, FigurePoints::kAll));
  return json;
}

}  // namespace sextant
