// SPDX-License-Identifier: Apache-2.0
// Where a walk on a cycle ends: tokens are stay, one forward, one back.
//
// The law of the end is that of a random walk, step by step. The end is the difference of two
// numbers of tokens: a function of the multiset.
#include <algorithm>

#include "training/class_baselines.h"
#include "training/class_task.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("places", "5", 2, 1000, "of the cycle: the classes"),
};
constexpr std::string_view kExamples[] = {"cycle(places=2)", "cycle(places=12)"};
constexpr TaskInfo kInfo = {
    .name = "cycle",
    .title = "Cycle navigation",
    .reference = "Deletang et al., arXiv:2207.02098, cycle navigation",
    .notes =
        "A regular language: steps 0, +1, -1 (tokens 0, 1, 2) from place 0. Needs no "
        "positions but exact counts modulo the places. Read at the last position.",
    .params = kParams,
    .examples = kExamples,
};

class Cycle final : public ClassTask {
 public:
  Cycle(const Params& params, const std::shared_ptr<const TokenCorpus>&)
      : places_(params.integer("places")) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override { return class_shape(3, places_, Readout::kLast); }

 protected:
  void write(Draws& draws, std::span<std::int32_t> tokens,
             std::span<std::int32_t> classes) const override {
    draws.fill(3, tokens);
    const Index lead = std::ranges::count(tokens, 1) - std::ranges::count(tokens, 2);
    classes.front() = static_cast<std::int32_t>((lead % places_ + places_) % places_);
  }

  std::vector<Baseline> exact_baselines(Index length) const override {
    const auto places = static_cast<std::size_t>(places_);
    std::vector<double> law(places, 0.0);
    law.front() = 1.0;
    for (Index t = 0; t < length; ++t) {
      const std::vector<double> before = law;
      for (std::size_t k = 0; k < places; ++k)
        law[k] = (before[k] + before[(k + 1) % places] + before[(k + places - 1) % places]) / 3.0;
    }
    const Guess constant = guess_of_law(law);
    return class_baselines(constant, constant, Guess{});
  }

 private:
  Index places_;
};

}  // namespace

void register_cycle(TaskRegistry& registry) { registry.add<Cycle>(kInfo); }

}  // namespace sextant
