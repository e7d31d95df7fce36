// SPDX-License-Identifier: Apache-2.0
// Whether the number of unequal neighbours is even: whether the first bit is the last.
//
// An equivariant predictor at the last position knows its own bit; the first is one of the n-1
// others, each with the same probability.
#include "training/class_baselines.h"
#include "training/class_task.h"

namespace sextant {
namespace {

constexpr TaskInfo kInfo = {
    .name = "even_pairs",
    .title = "Even pairs",
    .reference = "Deletang et al., arXiv:2207.02098, even pairs",
    .notes =
        "A regular language. Needs to find the first token and nothing else. Read at the "
        "last position.",
    .params = {},
};

class EvenPairs final : public ClassTask {
 public:
  EvenPairs(const Params&, const std::shared_ptr<const TokenCorpus>&) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override { return class_shape(2, 2, Readout::kLast); }

 protected:
  void write(Draws& draws, std::span<std::int32_t> tokens,
             std::span<std::int32_t> classes) const override {
    draws.fill(2, tokens);
    classes.front() = tokens.front() == tokens.back() ? 1 : 0;
  }

  std::vector<Baseline> exact_baselines(Index length) const override {
    if (length == 1) return class_baselines(Guess{}, Guess{}, Guess{});
    return class_baselines(uniform_guess(2), uniform_guess(2), multiset_guess(length - 1, 2));
  }
};

}  // namespace

void register_even_pairs(TaskRegistry& registry) { registry.add<EvenPairs>(kInfo); }

}  // namespace sextant
