// SPDX-License-Identifier: Apache-2.0
// The token some places before: a fixed lag, wherever it is asked for.
//
// To an equivariant predictor the position asked about is any that has a target, and the source any
// of the n-1 others, each with the same probability.
#include <algorithm>

#include "training/class_baselines.h"
#include "training/class_task.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("vocabulary", "10", 1, 1e6, "tokens, all equally likely"),
    integer_param("shift", "1", 0, 1e6, "how many places before; 0: the token itself"),
};
constexpr std::string_view kExamples[] = {"copy(shift=0)", "copy(vocabulary=2,shift=2)"};
constexpr TaskInfo kInfo = {
    .name = "copy",
    .title = "Copy",
    .reference = "Yun et al., arXiv:1912.10077: a sequence-to-sequence map as it speaks of",
    .notes =
        "The target at i is the token at i - shift; the first positions have none. Needs a "
        "relative position, unless shift is 0: then it is a control that needs nothing.",
    .params = kParams,
    .examples = kExamples,
};

class Copy final : public ClassTask {
 public:
  Copy(const Params& params, const std::shared_ptr<const TokenCorpus>&)
      : vocabulary_(params.integer("vocabulary")), shift_(params.integer("shift")) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override {
    return class_shape(vocabulary_, vocabulary_, Readout::kEveryPosition);
  }

 protected:
  Index least_length() const override { return shift_ + 1; }

  void write(Draws& draws, std::span<std::int32_t> tokens,
             std::span<std::int32_t> classes) const override {
    draws.fill(vocabulary_, tokens);
    std::copy(tokens.begin(), tokens.end() - shift_, classes.begin() + shift_);
  }

  std::vector<Baseline> exact_baselines(Index length) const override {
    const Guess uniform = uniform_guess(vocabulary_);
    return class_baselines(uniform, uniform,
                           shift_ == 0 ? Guess{} : multiset_guess(length - 1, vocabulary_));
  }

 private:
  Index vocabulary_, shift_;
};

}  // namespace

void register_copy(TaskRegistry& registry) { registry.add<Copy>(kInfo); }

}  // namespace sextant
