// SPDX-License-Identifier: Apache-2.0
#include "training/trial_tasks.h"

#include "base/check.h"
#include "base/text.h"

namespace sextant {
namespace {

constexpr double kTestShare = 0.1;
constexpr std::uint64_t kSplitSeed = 0x73706C6974000001;

void try_length(const Task& task, const Trial& trial, Index length) {
  task.sample(trial.seed, 0, 1, length);
}

}  // namespace

std::pair<TokenCorpus, TokenCorpus> trial_parts(const TokenCorpus& whole) {
  return split_corpus(whole, kTestShare, kSplitSeed);
}

TrialTasks make_trial_tasks(const Trial& trial, const CorpusReading& reading) {
  const EncodingSpec spec = EncodingSpec::parse(trial.task);
  const TaskInfo& info = tasks().info(spec.terms.front().name);
  const TrialCorpus& input = trial.corpus;
  TrialTasks result;
  if (info.needs_corpus) {
    require(!input.inputs.empty(), info.name, "needs a corpus");
    require(!info.needs_labels || !input.label_column.empty(), input.inputs.front(),
            "{} needs a label for each text; name its column", info.name);
    const std::shared_ptr<const TokenCorpus> whole = read_token_corpus(input, reading);
    auto [training, test] = trial_parts(*whole);
    result = {
        .training =
            tasks().make(trial.task, std::make_shared<const TokenCorpus>(std::move(training))),
        .test = tasks().make(trial.task, std::make_shared<const TokenCorpus>(std::move(test))),
        .corpus_hash = whole->hash};
  } else {
    require(input.inputs.empty(), info.name, "takes no corpus but got '{}'",
            input.inputs.empty() ? "" : escaped(input.inputs.front()));
    result = {.training = tasks().make(trial.task), .test = tasks().make(trial.task)};
  }
  try_length(*result.training, trial, trial.train_length);
  for (const Index length : trial.test_lengths) try_length(*result.test, trial, length);
  if (trial.attention_length > 0) try_length(*result.test, trial, trial.attention_length);
  return result;
}

}  // namespace sextant
