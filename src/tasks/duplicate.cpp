// SPDX-License-Identifier: Apache-2.0
// A word, and blanks into which it is to be written again.
//
// All blanks look alike. To an equivariant predictor its blank may be any of those with a target,
// and the answer any of the tokens of the word, each with the same probability.
#include <algorithm>

#include "training/class_baselines.h"
#include "training/class_task.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("vocabulary", "10", 1, 1e6, "tokens of the word, all equally likely"),
};
constexpr std::string_view kExamples[] = {"duplicate(vocabulary=2)"};
constexpr TaskInfo kInfo = {
    .name = "duplicate",
    .title = "Duplicate string",
    .reference = "Deletang et al., arXiv:2207.02098, duplicate string",
    .notes =
        "Context sensitive. The word is the first half, its copy is asked for in the second; "
        "of an odd length the middle is a blank without a target. The lag to the source grows "
        "with the length.",
    .params = kParams,
    .causal = true,
    .examples = kExamples,
};

class Duplicate final : public ClassTask {
 public:
  Duplicate(const Params& params, const std::shared_ptr<const TokenCorpus>&)
      : vocabulary_(params.integer("vocabulary")) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override {
    return class_shape(vocabulary_ + 1, vocabulary_, Readout::kEveryPosition);
  }

 protected:
  Index least_length() const override { return 2; }

  void write(Draws& draws, std::span<std::int32_t> tokens,
             std::span<std::int32_t> classes) const override {
    const std::span<std::int32_t> word = tokens.first(tokens.size() / 2);
    std::ranges::fill(tokens, static_cast<std::int32_t>(vocabulary_));
    draws.fill(vocabulary_, word);
    std::ranges::copy(word, classes.last(word.size()).begin());
  }

  std::vector<Baseline> exact_baselines(Index length) const override {
    const Guess uniform = uniform_guess(vocabulary_);
    return class_baselines(uniform, uniform, multiset_guess(length / 2, vocabulary_));
  }

 private:
  Index vocabulary_;
};

}  // namespace

void register_duplicate(TaskRegistry& registry) { registry.add<Duplicate>(kInfo); }

}  // namespace sextant
