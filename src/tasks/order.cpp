// SPDX-License-Identifier: Apache-2.0
// Which of two tokens comes first: the plainest question about order.
//
// Tokens 0 and 1 stand at two places drawn without replacement, so the label is a fair coin and
// independent of the multiset: an equivariant model with a symmetric read-out does not beat chance.
#include "training/class_baselines.h"
#include "training/class_task.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("vocabulary", "10", 3, 1e6, "tokens: two that are asked for and the fillers"),
};
constexpr std::string_view kExamples[] = {"order(vocabulary=3)"};
constexpr TaskInfo kInfo = {
    .name = "order",
    .title = "Order of two tokens",
    .reference = "Cirrincione, arXiv:2604.05217, Necessity Theorem: a task it speaks of",
    .notes =
        "Does token 0 come before token 1? Each occurs once. The read-out is symmetric, so "
        "without positions and without a mask nothing beats chance; a causal mask is enough.",
    .params = kParams,
    .examples = kExamples,
};

class Order final : public ClassTask {
 public:
  Order(const Params& params, const std::shared_ptr<const TokenCorpus>&)
      : vocabulary_(params.integer("vocabulary")) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override { return class_shape(vocabulary_, 2, Readout::kMean); }

 protected:
  Index least_length() const override { return 2; }

  void write(Draws& draws, std::span<std::int32_t> tokens,
             std::span<std::int32_t> classes) const override {
    const auto length = static_cast<Index>(tokens.size());
    for (std::int32_t& token : tokens) token = 2 + draws.token(vocabulary_ - 2);
    const Index first = draws.below(length);
    const Index other = draws.below(length - 1);
    const Index second = other < first ? other : other + 1;
    tokens[static_cast<std::size_t>(first)] = 0;
    tokens[static_cast<std::size_t>(second)] = 1;
    classes.front() = first < second ? 1 : 0;
  }

  std::vector<Baseline> exact_baselines(Index) const override {
    return class_baselines(uniform_guess(2), uniform_guess(2), uniform_guess(2));
  }

 private:
  Index vocabulary_;
};

}  // namespace

void register_order(TaskRegistry& registry) { registry.add<Order>(kInfo); }

}  // namespace sextant
