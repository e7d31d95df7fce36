// SPDX-License-Identifier: Apache-2.0
// Which of two tokens is there more often: a control that needs no order.
//
// Tokens are uniform; where 0 and 1 occur equally often, the token at one place is replaced by the
// other of the two, or by any of them. Exchanging 0 and 1 keeps the law and turns the label, so the
// label is a fair coin; and it is a function of the multiset.
#include <algorithm>

#include "training/class_baselines.h"
#include "training/class_task.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("vocabulary", "10", 2, 1e6, "tokens: two that are compared and the fillers"),
};
constexpr std::string_view kExamples[] = {"bag(vocabulary=2)"};
constexpr TaskInfo kInfo = {
    .name = "bag",
    .title = "Bag of tokens",
    .reference = "control of the necessity theorem, Cirrincione, arXiv:2604.05217",
    .notes =
        "Does token 1 occur more often than token 0? Never equally often. Every encoding "
        "should solve it, and none at all as well: what fails here fails for another reason "
        "than order.",
    .params = kParams,
    .examples = kExamples,
};

class Bag final : public ClassTask {
 public:
  Bag(const Params& params, const std::shared_ptr<const TokenCorpus>&)
      : vocabulary_(params.integer("vocabulary")) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override { return class_shape(vocabulary_, 2, Readout::kMean); }

 protected:
  void write(Draws& draws, std::span<std::int32_t> tokens,
             std::span<std::int32_t> classes) const override {
    draws.fill(vocabulary_, tokens);
    if (lead_of_one(tokens) == 0) {
      std::int32_t& token = tokens[static_cast<std::size_t>(draws.below(std::ssize(tokens)))];
      token = token < 2 ? 1 - token : draws.token(2);
    }
    classes.front() = lead_of_one(tokens) > 0 ? 1 : 0;
  }

  std::vector<Baseline> exact_baselines(Index) const override {
    return class_baselines(uniform_guess(2), uniform_guess(2), Guess{});
  }

 private:
  static Index lead_of_one(std::span<const std::int32_t> tokens) {
    return std::ranges::count(tokens, 1) - std::ranges::count(tokens, 0);
  }

  Index vocabulary_;
};

}  // namespace

void register_bag(TaskRegistry& registry) { registry.add<Bag>(kInfo); }

}  // namespace sextant
