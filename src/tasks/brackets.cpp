// SPDX-License-Identifier: Apache-2.0
// Which kind of bracket is closed here: a stack.
//
// A beginning of a bracketed text: with nothing open a bracket opens, otherwise one opens or closes
// with probability 1/2. Opening brackets have kinds, the closing one does not tell.
#include <cstdlib>

#include "training/class_baselines.h"
#include "training/class_task.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("kinds", "2", 1, 1000, "of brackets, all equally likely"),
};
constexpr std::string_view kExamples[] = {"brackets(kinds=4)"};
constexpr TaskInfo kInfo = {
    .name = "brackets",
    .title = "Matching brackets",
    .reference = "after Deletang et al., arXiv:2207.02098, stack manipulation",
    .notes =
        "Context free: the target at a closing bracket is the kind of its partner. The "
        "partner is found by counting depth, not by distance.",
    .params = kParams,
    .causal = true,
    .examples = kExamples,
};

class Brackets final : public ClassTask {
 public:
  Brackets(const Params& params, const std::shared_ptr<const TokenCorpus>&)
      : kinds_(params.integer("kinds")) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override {
    return class_shape(kinds_ + 1, kinds_, Readout::kEveryPosition);
  }

 protected:
  Index least_length() const override { return 2; }

  void write(Draws& draws, std::span<std::int32_t> tokens,
             std::span<std::int32_t> classes) const override {
    std::vector<std::int32_t> open;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      if (open.empty() || draws.happens(0.5)) {
        open.push_back(draws.token(kinds_));
        tokens[t] = open.back();
      } else {
        tokens[t] = static_cast<std::int32_t>(kinds_);
        classes[t] = open.back();
        open.pop_back();
      }
    }
  }

  std::vector<Baseline> exact_baselines(Index length) const override {
    const Guess uniform = uniform_guess(kinds_);
    return class_baselines(uniform, uniform, equivariant(length));
  }

 private:
  // Kinds are independent of where brackets stand, so the partner is any of the opening brackets,
  // each with the same probability. Each closing bracket counts once.
  Guess equivariant(Index length) const {
    constexpr double kNegligible = 1e-17;
    const std::vector<double> law = depth_law(length);
    Guess sum{.loss = 0.0, .accuracy = 0.0};
    double closings = 0.0;
    for (Index depth = length % 2; depth < length; depth += 2) {
      const Index closed = (length - depth) / 2;
      const double weight = law[static_cast<std::size_t>(depth)] * static_cast<double>(closed);
      if (weight < kNegligible) continue;
      const Guess guess = multiset_guess((length + depth) / 2, kinds_);
      sum.loss += weight * guess.loss;
      sum.accuracy += weight * guess.accuracy;
      closings += weight;
    }
    return {.loss = sum.loss / closings, .accuracy = sum.accuracy / closings};
  }

  // How many brackets are open in the end: a walk reflected at 0, which is |2 h - length| for the
  // number h of heads among `length` fair coins.
  static std::vector<double> depth_law(Index length) {
    const std::vector<double> heads = binomial_law(length, 0.5);
    std::vector<double> law(heads.size(), 0.0);
    for (Index h = 0; h <= length; ++h)
      law[static_cast<std::size_t>(std::abs(2 * h - length))] += heads[static_cast<std::size_t>(h)];
    return law;
  }

  Index kinds_;
};

}  // namespace

void register_brackets(TaskRegistry& registry) { registry.add<Brackets>(kInfo); }

}  // namespace sextant
