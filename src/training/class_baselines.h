// SPDX-License-Identifier: Apache-2.0
// What predictors of classes reach without learning, exactly.
//
// Three kinds of knowledge: none; the position; the token there and the multiset of all tokens. The
// last is all that a transformer without positions and without a mask can use.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sextant/task.h"

namespace sextant {

// Expected natural log-loss of the best probabilities, and how often the likeliest class is right.
struct Guess {
  double loss = 0.0;
  double accuracy = 1.0;
};

// Where the classes are known to have this law. Numbers sum to 1.
Guess guess_of_law(std::span<const double> law);

// Where all of `classes` are equally likely.
Guess uniform_guess(Index classes);

// Where the answer is one of `tokens` independent tokens, each uniform below `kinds`, any of them
// with the same probability, and it is seen how often each kind occurs. REQUIRES: both >= 1.
Guess multiset_guess(Index tokens, Index kinds);

// P(k) for k = 0..trials.
std::vector<double> binomial_law(Index trials, double chance);

// The losses, then the accuracies. Without a last guess the best equivariant predictor is left out.
std::vector<Baseline> class_baselines(const Guess& constant, const Guess& position,
                                      const std::optional<Guess>& equivariant);

}  // namespace sextant
