// SPDX-License-Identifier: Apache-2.0
// Where am I: the target at i is i.
//
// Tokens are independent of positions, so an equivariant predictor knows no more than that each of
// the n positions is equally likely.
#include <numeric>

#include "training/class_baselines.h"
#include "training/class_task.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("positions", "50", 1, 1e6, "classes: the longest sequence"),
    integer_param("vocabulary", "10", 1, 1e6, "tokens, all equally likely; 1: nothing to read"),
};
constexpr std::string_view kExamples[] = {"own_index(positions=12)", "own_index(vocabulary=2)"};
constexpr TaskInfo kInfo = {
    .name = "own_index",
    .title = "Own index",
    .reference = "Yun et al., arXiv:1912.10077: what universality needs of positions",
    .notes =
        "Reads the position out of the model. Under a causal mask a model without an encoding "
        "can count in part, unless all tokens are equal. A longer sequence has positions that "
        "are no classes.",
    .params = kParams,
    .any_length = false,
    .examples = kExamples,
};

class OwnIndex final : public ClassTask {
 public:
  OwnIndex(const Params& params, const std::shared_ptr<const TokenCorpus>&)
      : positions_(params.integer("positions")), vocabulary_(params.integer("vocabulary")) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override {
    return class_shape(vocabulary_, positions_, Readout::kEveryPosition);
  }

 protected:
  Index most_length() const override { return positions_; }

  void write(Draws& draws, std::span<std::int32_t> tokens,
             std::span<std::int32_t> classes) const override {
    draws.fill(vocabulary_, tokens);
    std::iota(classes.begin(), classes.end(), 0);
  }

  std::vector<Baseline> exact_baselines(Index length) const override {
    return class_baselines(uniform_guess(length), Guess{}, uniform_guess(length));
  }

 private:
  Index positions_, vocabulary_;
};

}  // namespace

void register_own_index(TaskRegistry& registry) { registry.add<OwnIndex>(kInfo); }

}  // namespace sextant
