// SPDX-License-Identifier: Apache-2.0
// Whether the number of ones is odd.
//
// A fair coin as long as one token is unknown, and a function of the multiset.
#include <algorithm>

#include "training/class_baselines.h"
#include "training/class_task.h"

namespace sextant {
namespace {

constexpr TaskInfo kInfo = {
    .name = "parity",
    .title = "Parity check",
    .reference = "Deletang et al., arXiv:2207.02098, parity check",
    .notes =
        "A regular language. Needs no positions, and transformers still fail beyond the "
        "training length: every single token decides. Read at the last position.",
    .params = {},
};

class Parity final : public ClassTask {
 public:
  Parity(const Params&, const std::shared_ptr<const TokenCorpus>&) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override { return class_shape(2, 2, Readout::kLast); }

 protected:
  void write(Draws& draws, std::span<std::int32_t> tokens,
             std::span<std::int32_t> classes) const override {
    draws.fill(2, tokens);
    classes.front() = static_cast<std::int32_t>(std::ranges::count(tokens, 1) % 2);
  }

  std::vector<Baseline> exact_baselines(Index) const override {
    return class_baselines(uniform_guess(2), uniform_guess(2), Guess{});
  }
};

}  // namespace

void register_parity(TaskRegistry& registry) { registry.add<Parity>(kInfo); }

}  // namespace sextant
