// SPDX-License-Identifier: Apache-2.0
// A study of trials after its run, and what came out as JSON: docs/studies.md.
#pragma once

#include <string>
#include <vector>

#include "io/json.h"
#include "training/trial_study.h"

namespace sextant {

struct TrainedStudy {
  const StudyInfo* info = nullptr;
  std::vector<StudyOutcome> outcomes = {};
  StudyFindings findings = {};
};

// The plan of a study with a folder below `folder` for each trial, and no result yet.

TrainedStudy planned_study(const StudyRegistry::Entry& entry, const StudySetup& setup,
                           const std::filesystem::path& folder);

// name, title, claim, question, controls, needs_corpus.
Json study_info_json(const StudyInfo& info);

// study_info_json(), trials, failed, numbers, sentences, figures. Nothing in it depends on time,
// path or the number of processes.
Json study_json(const TrainedStudy& study);

}  // namespace sextant
