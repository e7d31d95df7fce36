// SPDX-License-Identifier: Apache-2.0
// Published numbers beside our own: what was printed, where, under which set-up, what we find, and
// a verdict that a rule decides. docs/reproduce.md has the rule and the list.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sextant/trial.h"
#include "training/findings.h"

namespace sextant {

// A number as it was printed: half a unit of its last digit is what rounding hides.
struct PrintedNumber {
  double value = 0.0;
  double half_digit = 0.0;
};
// "0.0108" is .0108 +- .00005, "1.15e-4" is 1.15e-4 +- .5e-6; "1/6" and whole numbers are exact.
// REQUIRES: a number.
PrintedNumber printed(std::string_view text);

// What the source says of our number. `slack` is the larger of half a printed digit and two
// standard deviations over seeds.
enum class Relation {
  kEquals,   // |ours - published| <= slack
  kAtMost,   // ours <= published + slack: a bound
  kAtLeast,  // ours >= published - slack
  kBelow,    // ours < published: an order is claimed of means, no noise is given away
};
std::string_view name(Relation relation);  // "=", "<=", ">=", "<"

// The metric of trained models at one test length: mean and deviation over seeds. With `against`
// the difference to that trial, seed by seed; with `baseline` the difference to what this predictor
// of the task reaches without learning.
struct TrainedValue {
  Trial trial = {};  // its seed does not matter
  std::optional<Trial> against = {};
  std::string baseline = {};  // "chance", "best equivariant"; empty: none
  Index length = 0;
  TrialMetric metric = TrialMetric::kLoss;
};

// One way to read a set-up that leaves something open, and what it gives.
struct Reading {
  std::string condition = {};  // "positions are re-scaled"; empty: what the source's words say
  std::optional<TrainedValue> trained = {};  // else the table computes it
  bool quick = true;                         // part of --quick
  std::optional<double> ours = {};
  std::optional<double> sd = {};    // over seeds
  std::optional<Index> seeds = {};  // that `ours` is made of, of what is trained
  std::string fault = {};           // the first trial without a number, and why
};

struct PublishedCell {
  std::string cell = {};                 // "wavelet / N=200"
  std::string place = {};                // "table 5"
  std::optional<double> published = {};  // nothing: the source gives no number to compare with
  double half_digit = 0.0;
  Relation relation = Relation::kEquals;
  std::string setup = {};   // what we compute
  bool stated = true;       // false: the source leaves open what decides the number
  std::string corpus = {};  // the corpus that it needs, by the name of --corpus; empty: none
  std::vector<Reading> readings = {};  // the words of the source first; at least one
  // Filled by the run:
  std::optional<double> condition = {};  // number of the linear problem behind it
  std::string remark = {};
  std::string not_run = {};                                     // the reason
  std::optional<std::array<std::uint64_t, 2>> input_hash = {};  // of the corpus
};

// A cell with one reading that its table computes.
PublishedCell computed_cell(std::string cell, std::string place, std::string_view published,
                            std::string setup, Relation relation = Relation::kEquals);

// "reproduced", "reproduced only if ...", "not reproduced", "set-up not stated", "not run: ...".
std::string verdict(const PublishedCell& cell);
// The reading that the verdict is about: the first that agrees, else the first with a number.
const Reading* decisive(const PublishedCell& cell);

// What tables need to compute.
struct ReproductionContext {
  bool quick = false;
  Index threads = 1;
  std::uint64_t seed = 1;
  std::map<std::string, std::string> corpora = {};  // file by name
  std::string tokenizer = "words";                  // of corpora
  const std::atomic<bool>* stop = nullptr;
};

struct ReproductionInfo {
  std::string_view name = {};    // as typed: [a-z0-9-]+
  std::string_view source = {};  // authors, identifier
  std::string_view method = {};  // one sentence
};

class ReproductionRegistry {
 public:
  // compute() fills the readings without `trained` of the cells that are to be run; null: there
  // are none.
  struct Entry {
    ReproductionInfo info = {};
    std::vector<PublishedCell> (*cells)() = nullptr;
    void (*compute)(std::span<PublishedCell>, const ReproductionContext&) = nullptr;
  };

  void add(const ReproductionInfo& info, std::vector<PublishedCell> (*cells)(),
           void (*compute)(std::span<PublishedCell>, const ReproductionContext&) = nullptr) {
    entries_.push_back({info, cells, compute});
  }
  std::span<const Entry> entries() const { return entries_; }
  std::vector<std::string> names() const;
  // Throws kUsage with the nearest name when there is none of this name.
  const Entry& find(std::string_view name) const;

 private:
  std::vector<Entry> entries_;
};

// All tables of the library.
const ReproductionRegistry& reproductions();

// One table on its way: planned, then trained by the caller, then computed.
struct Reproduction {
  const ReproductionRegistry::Entry* entry = nullptr;
  std::vector<PublishedCell> cells = {};
  std::vector<std::string> left_out = {};  // by --quick: "CELL", or "CELL, if CONDITION"
};

// Says of every cell whether it is run. Not run are cells that --quick leaves out, those whose
// corpus is not given, and without `lab`, the program that trains, those that are trained.
Reproduction planned(const ReproductionRegistry::Entry& entry, const ReproductionContext& context,
                     bool lab);
bool needs_lab(const PublishedCell& cell);
// Names of --corpus that cells of the table ask for, each once.
std::vector<std::string> corpora_of(const ReproductionRegistry::Entry& entry);

// The trials of all cells that are run, each once, with `seeds` seeds from context.seed on: all of
// one seed before the next.
std::vector<TrialOutcome> trials_of(std::span<const Reproduction> tables,
                                    const ReproductionContext& context, Index seeds);

// Fills the readings. `outcomes` are those of trials_of(), run.
void finish(Reproduction& table, std::span<const TrialOutcome> outcomes,
            const ReproductionContext& context);

}  // namespace sextant
