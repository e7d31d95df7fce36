// SPDX-License-Identifier: Apache-2.0
// Claims about training, each as a plan of trials and what their results say: one file of
// src/studies/ each. Plans and analyses need no training framework.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/task.h"
#include "sextant/theorem.h"
#include "training/findings.h"

namespace sextant {

struct StudyInfo {
  std::string_view name = {};
  std::string_view title = {};
  std::string_view claim = {};     // id of the theorem it belongs to
  std::string_view question = {};  // what it asks
  std::string_view controls = {};  // what every number is held against, and why
  bool needs_corpus = false;
  std::string_view lab_verb = "trial";  // of sextant-lab
};

struct StudySetup {
  Index seeds = 5;
  std::uint64_t seed = 1;  // the first
  bool quick = false;      // fewer steps: shows that it works, decides nothing
  TrialCorpus corpus = {};
  std::shared_ptr<const TokenCorpus> tokens = nullptr;  // of the corpus, where one is needed
  std::filesystem::path arrays = {};                    // folder for what trials start from
};

// One of the cases that a study compares, over all seeds.
struct StudyTrial {
  std::string arm = {};
  Trial trial = {};
};

struct StudyOutcome {
  std::string arm = {};
  TrialOutcome outcome = {};
  std::filesystem::path folder = {};  // of the trial's files
};
bool finished(const StudyOutcome& outcome);

// One measured quantity of one arm, and what it is held against.
struct StudyNumber {
  std::string arm = {}, quantity = {};
  std::vector<double> values = {};        // one a seed that finished
  std::vector<std::uint64_t> seeds = {};  // that of each value
  std::string control = {};               // "best equivariant", "shuffled"; empty: none
  std::optional<double> against = {};     // its value
  double mean() const;                    // NaN without values
  BySeed by_seed() const;
};

struct StudyFindings {
  std::vector<StudyNumber> numbers = {};
  std::vector<std::string> sentences = {};  // what the numbers say
  std::vector<Figure> figures = {};
};

// ---------------------------------------------------------------------------------------------
// What plans and analyses are made of

// The trials of one arm. `encoding` as a user writes it; common.learn must be in it.
void add_arm(std::vector<StudyTrial>& plan, const std::string& arm, const Trial& common,
             const std::string& encoding, const StudySetup& setup);

// "table(file=...)" of rows that are written to the folder of arrays; `name` as of an encoding.
std::string encoding_of_rows(std::string_view encoding, const Matrix& rows, std::string_view file,
                             const StudySetup& setup);

// measure(outcome) of every trial of the arm that finished and has one.
using StudyMeasure = std::function<std::optional<double>(const StudyOutcome&)>;
StudyNumber measured(std::span<const StudyOutcome> outcomes, std::string_view arm,
                     std::string_view quantity, const StudyMeasure& measure);

// Loss or accuracy at the first test length.
StudyMeasure tested(TrialMetric metric);

// ---------------------------------------------------------------------------------------------

class StudyRegistry {
 public:
  // Deterministic. Writes arrays into setup.arrays at most.
  using Plan = std::vector<StudyTrial> (*)(const StudySetup&);
  using Analyse = StudyFindings (*)(const StudySetup&, std::span<const StudyOutcome>);
  struct Entry {
    const StudyInfo* info = nullptr;
    Plan plan = nullptr;
    Analyse analyse = nullptr;
  };

  void add(const StudyInfo& info, Plan plan, Analyse analyse) {
    entries_.push_back({&info, plan, analyse});
  }
  std::span<const Entry> entries() const { return entries_; }  // in the order of the catalogue

  // Throws kUsage with the nearest name when there is none.
  const Entry& find(std::string_view name) const;

 private:
  std::vector<Entry> entries_;
};

// All studies of the library.
const StudyRegistry& studies();

}  // namespace sextant
