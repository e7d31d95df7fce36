// SPDX-License-Identifier: Apache-2.0
// Baselines of small tasks by the definition: a sum over all sequences.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "training/class_baselines.h"

namespace sextant {

using Word = std::vector<std::int32_t>;

// All kinds^length words.
template <typename Use>
void for_each_word(std::size_t length, std::int32_t kinds, const Use& use) {
  Word word(length, 0);
  while (true) {
    use(word);
    std::size_t at = 0;
    while (at < length && ++word[at] == kinds) word[at++] = 0;
    if (at == length) return;
  }
}

// What an equivariant predictor sees at a position.
inline Word own_and_multiset(Word word, std::size_t at) {
  const std::int32_t own = word[at];
  std::ranges::sort(word);
  word.push_back(own);
  return word;
}

// Answers by what is known: the best predictor gives each knowledge its law of answers.
class Answers {
 public:
  void add(const Word& known, std::int32_t answer, double weight = 1.0) {
    cells_[known][answer] += weight;
    total_ += weight;
  }
  Guess best() const {
    Guess sum{.loss = 0.0, .accuracy = 0.0};
    for (const auto& [known, answers] : cells_) {
      double all = 0.0, most = 0.0;
      for (const auto& [answer, weight] : answers) {
        all += weight;
        most = std::max(most, weight);
      }
      for (const auto& [answer, weight] : answers)
        sum.loss -= weight / total_ * std::log(weight / all);
      sum.accuracy += most / total_;
    }
    return sum;
  }

 private:
  std::map<Word, std::map<std::int32_t, double>> cells_;
  double total_ = 0.0;
};

inline double baseline(const Task& task, Index length, const std::string& name,
                       bool of_accuracy = false) {
  for (const Baseline& b : task.baselines(length))
    if (b.name == name && b.of_accuracy == of_accuracy) return b.value;
  ADD_FAILURE() << task.spec() << " has no baseline '" << name << "'";
  return 0.0;
}

// Loss and accuracy.
inline void expect_baseline(const Task& task, Index length, const std::string& name,
                            const Guess& expected) {
  constexpr double kRounding = 1e-12;
  EXPECT_NEAR(baseline(task, length, name), expected.loss, kRounding) << task.spec() << " " << name;
  EXPECT_NEAR(baseline(task, length, name, true), expected.accuracy, kRounding)
      << task.spec() << " " << name;
}

}  // namespace sextant
