// SPDX-License-Identifier: Apache-2.0
// The sequence backwards: the target at i is the token at n-1-i.
//
// To an equivariant predictor i is any position. Of an even length the target is then one of the
// n-1 other tokens, each with the same probability; of an odd length the middle is its own target,
// and the target is one of all n tokens.
#include <algorithm>

#include "training/class_baselines.h"
#include "training/class_task.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("vocabulary", "10", 1, 1e6, "tokens, all equally likely"),
};
constexpr std::string_view kExamples[] = {"reversal(vocabulary=2)"};
constexpr TaskInfo kInfo = {
    .name = "reversal",
    .title = "Reversal",
    .reference = "Deletang et al., arXiv:2207.02098, reverse string",
    .notes =
        "Needs positions from both ends. Without them a model still sees the multiset, and "
        "guessing its most frequent other token beats 1/vocabulary. Under a causal mask the "
        "first half cannot be known.",
    .params = kParams,
    .examples = kExamples,
};

class Reversal final : public ClassTask {
 public:
  Reversal(const Params& params, const std::shared_ptr<const TokenCorpus>&)
      : vocabulary_(params.integer("vocabulary")) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override {
    return class_shape(vocabulary_, vocabulary_, Readout::kEveryPosition);
  }

 protected:
  void write(Draws& draws, std::span<std::int32_t> tokens,
             std::span<std::int32_t> classes) const override {
    draws.fill(vocabulary_, tokens);
    std::reverse_copy(tokens.begin(), tokens.end(), classes.begin());
  }

  std::vector<Baseline> exact_baselines(Index length) const override {
    const Guess uniform = uniform_guess(vocabulary_);
    return class_baselines(uniform, uniform,
                           multiset_guess(length % 2 == 0 ? length - 1 : length, vocabulary_));
  }

 private:
  Index vocabulary_;
};

}  // namespace

void register_reversal(TaskRegistry& registry) { registry.add<Reversal>(kInfo); }

}  // namespace sextant
