// SPDX-License-Identifier: Apache-2.0
#include "training/mlm_study.h"

#include <cassert>

#include "base/check.h"
#include "geometry/hellinger.h"
#include "training/position_distances.h"
#include "training/trial_tasks.h"

namespace sextant {
namespace {

void check_texts(const TokenCorpus& corpus) {
  for (std::size_t i = 0; i < corpus.size(); ++i)
    if (corpus.starts[i + 1] - corpus.starts[i] >= std::size_t{kMlmLength}) return;
  fail(ErrorCode::kMalformed, corpus.source, "no text has {} tokens or more", kMlmLength);
}

}  // namespace

void check_mlm_texts(const StudySetup& setup) {
  assert(setup.tokens);
  check_texts(*setup.tokens);
  const auto [training, test] = trial_parts(*setup.tokens);
  check_texts(training);
  check_texts(test);
}

Trial mlm_trial(const StudySetup& setup, std::string_view task) {
  Trial trial;
  trial.task = std::string(task);
  trial.model.dim = kMlmDim;
  trial.model.heads = 2;
  trial.model.hidden = 2 * kMlmDim;
  trial.schedule = {.steps = setup.quick ? 100 : 2000,
                    .batch = 32,
                    .rate = 2e-3,
                    .warm_up = setup.quick ? 10 : 50};
  trial.train_length = kMlmLength;
  trial.test_lengths = {kMlmLength};
  trial.test_sequences = 1000;
  trial.corpus = setup.corpus;
  trial.keep_rows = trial.schedule.steps / 20;
  return trial;
}

DistanceMatrix mlm_target(const StudySetup& setup) {
  assert(setup.tokens);
  return rooted(squared_position_distances(*setup.tokens, kMlmLength));
}

Vector stress_history(const DistanceMatrix& target, const RowHistory& history) {
  Vector result;
  result.reserve(history.rows.size());
  const DistanceMatrix* const targets[] = {&target};
  for (const Matrix& rows : history.rows)
    result.push_back(pair_sums(targets, *distances_of_rows(rows)).front().scaled());
  return result;
}

double last_correlation(const DistanceMatrix& target, const RowHistory& history) {
  const DistanceMatrix last = stored(*distances_of_rows(history.rows.back()));
  return pearson(last.values(), target.values());
}

StudyMeasure of_rows(std::function<double(const RowHistory&)> measure) {
  return [measure = std::move(measure)](const StudyOutcome& each) -> std::optional<double> {
    return measure(read_row_history(each.folder));
  };
}

}  // namespace sextant
