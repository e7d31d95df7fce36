// SPDX-License-Identifier: Apache-2.0
// What the studies on text share: one small masked language model, and the numbers of its table
// against the corpus.
#pragma once

#include "training/row_history.h"
#include "training/trial_study.h"

namespace sextant {

// Positions, width and steps of all studies on text.
inline constexpr Index kMlmLength = 16;
inline constexpr Index kMlmDim = 32;

// Throws kMalformed unless setup.tokens has texts of this length, for training and for tests.
void check_mlm_texts(const StudySetup& setup);

// "mlm" or "mlm(shuffled=1)" with rows kept twenty times.
Trial mlm_trial(const StudySetup& setup, std::string_view task);

// Distances of the positions of setup.tokens: Hellinger.
DistanceMatrix mlm_target(const StudySetup& setup);

// Scaled stress of the rows against the target after each kept step.
Vector stress_history(const DistanceMatrix& target, const RowHistory& history);

// Pearson correlation of the last distances of the rows with the target.
double last_correlation(const DistanceMatrix& target, const RowHistory& history);

// measure(history) of a trial that kept rows.
StudyMeasure of_rows(std::function<double(const RowHistory&)> measure);

}  // namespace sextant
