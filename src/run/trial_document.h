// SPDX-License-Identifier: Apache-2.0
// A comparison of encodings by training as JSON: docs/lab.md. Nothing in it depends on time, host,
// path or the number of processes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/json.h"
#include "sextant/task.h"
#include "training/findings.h"

namespace sextant {

struct LengthBaselines {
  Index length = 0;
  std::vector<Baseline> baselines = {};
};

struct TrainingRun {
  Trial common = {};  // of all trials, but for encoding and seed; its seed is the first
  Index seeds = 0;
  std::vector<std::string> encodings = {};
  FindingsOptions asked = {};
  std::vector<LengthBaselines> baselines = {};  // of each test length
  std::string corpus_hash = {};                 // empty: no corpus
  std::vector<TrialOutcome> outcomes = {};
  TrainingFindings findings = {};
};

// What the tables call an encoding: files by name, without folders.
std::string shown_encoding(std::string_view spec);

// All of a trial but its encoding and its seed; files by name, without folders.
Json setup_json(const Trial& trial);

// task, options, baselines, rows, summary, comparisons, curves, provenance.
void add_training(Json& document, const TrainingRun& run);

// One line per row of the document, in the form of the report's results.jsonl.
std::string training_lines(const Json& document);

// The lines of such a file that are of another analysis. Throws kMalformed, naming `where` and the
// line, for one that is no JSON.
std::string lines_of_others(std::string_view before, std::string_view where);

// name, title, reference, notes, parameters, examples, what it needs.
Json task_json(const TaskInfo& info);

}  // namespace sextant
