// SPDX-License-Identifier: Apache-2.0
// The plan of a study as JSON and as lines for people: every number with what it was computed from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/json.h"
#include "run/corpus_sample.h"
#include "run/study_choice.h"

namespace sextant {

struct StudyPlan {
  SampledCorpus corpus = {};
  PlanQuestion question = {};
  PlanAssumptions assumed = {};
  CostPlan cost = {};
  std::optional<double> memory = {};  // that a rank may use
  std::vector<std::string> notes = {};
};

// Reads and counts a sample of the corpus, no more. Throws kUsage where the size of the corpus is
// not known and not given, and as the readers do.
StudyPlan make_plan(const StudyChoice& choice, const StudyRun& run);

// sample, question, assumed, corpus, counts, rank, reduction, geometry, spectrum, memory, notes.
Json plan_json(const StudyPlan& plan);

struct PlanLine {
  std::string name, value;
  std::string from;  // the formula with its numbers
};
struct PlanSection {
  std::string title;
  std::vector<PlanLine> lines;
};
std::vector<PlanSection> plan_lines(const StudyPlan& plan);

// "1.23 GB", "4.5 min", "12.3 M".
std::string bytes_text(double bytes);
std::string seconds_text(double seconds);
std::string number_text(double number);

}  // namespace sextant
