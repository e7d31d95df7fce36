// SPDX-License-Identifier: Apache-2.0
// The two tasks of a trial: one that it trains on, one that it is tested on.
#pragma once

#include <memory>
#include <string>

#include "sextant/task.h"
#include "training/token_corpus.h"

namespace sextant {

// Of one spec and one shape. On text, one in ten sequences is for tests, the same ones for every
// trial on the corpus; otherwise the seeds of batches keep the two apart.
struct TrialTasks {
  std::unique_ptr<Task> training, test;
  std::string corpus_hash = {};  // empty: no corpus
};

// Training and test data of every trial on this corpus. Throws as split_corpus.
std::pair<TokenCorpus, TokenCorpus> trial_parts(const TokenCorpus& whole);

// Reads the corpus where the task needs one. Every length of the trial is tried, so that what a
// corpus lacks is said before the first step: kUsage and the errors of read_token_corpus.
TrialTasks make_trial_tasks(const Trial& trial, const CorpusReading& reading = {});

}  // namespace sextant
