// SPDX-License-Identifier: Apache-2.0
// The options of `sextant train`, and the way from them to trials.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/corpus_options.h"
#include "run/trial_document.h"

namespace sextant::cli {

struct TrainChoice {
  const CLI::App* app = nullptr;  // knows which options were given
  std::string task;
  CorpusChoice corpus;
  std::string encodings, against, test, learn, label_column;
  std::string norm, activation, precision, device, metric, model, weights, output = "sextant-train";
  std::string rank, slurm, time;  // parts of a run; `slurm` is "true" where no file is named
  std::optional<Index> seeds, train, test_sequences, layers, dim, heads, hidden;
  std::optional<Index> steps, batch, warm_up, jobs, vocabulary, attention, keep_rows, array;
  std::optional<double> rate, decay_from, clip;
  std::optional<std::uint64_t> memory;
  bool causal = false, bidirectional = false;
  bool resume = false, force = false, list = false;
};

// `choice` must outlive the parse.
void add_train_options(CLI::App& app, TrainChoice& choice);

// Texts as trials read them; labels are left out. Throws kUsage for options that do not fit.
TrialCorpus trial_corpus(const CorpusChoice& asked, std::optional<Index> vocabulary);

// The trials that were asked for: task and encodings are canonical, lengths and mask those of the
// task where none is given. Reads a corpus where the task needs one. Throws kUsage for all that
// does not fit, before anything is trained.
TrainingRun training_run(const TrainChoice& choice, const Globals& globals);

}  // namespace sextant::cli
