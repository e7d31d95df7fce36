// SPDX-License-Identifier: Apache-2.0
// A task with a dial: how much the order of two positions matters.
//
// Bits. Where those at i and j are equal, they are the label, but for a few errors, so that a
// minimum of the risk is attained. Where they differ, the label says with probability eps which of
// the two is 1, and is a fair coin otherwise. Exchanging 0 and 1 everywhere turns the label: it is
// balanced.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "training/class_baselines.h"
#include "training/class_task.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    number_param("eps", "0.5", 0, 1, "how often the label says the order of different bits"),
    integer_param("i", "0", 0, 1e6, "one position"),
    integer_param("j", "1", 0, 1e6, "the other"),
};
constexpr std::string_view kExamples[] = {"separation(eps=0)", "separation(eps=1,i=2)"};
constexpr TaskInfo kInfo = {
    .name = "separation",
    .title = "Separation of two positions",
    .reference = "Cirrincione, arXiv:2604.05217, Positional Separation Theorem",
    .notes =
        "A model with equal vectors at i and j cannot beat the best swap-invariant predictor, "
        "whatever eps is; for eps > 0 others can. Meant for no mask: a causal one tells the "
        "two apart. Read symmetrically.",
    .params = kParams,
    .examples = kExamples,
};

constexpr double kFollows = 0.88079707797788243;  // logistic function at 2

Guess coin(double probability) { return guess_of_law(std::array{probability, 1.0 - probability}); }

// Half of the pairs are equal.
Guess mean(const Guess& a, const Guess& b) {
  return {.loss = 0.5 * (a.loss + b.loss), .accuracy = 0.5 * (a.accuracy + b.accuracy)};
}

class Separation final : public ClassTask {
 public:
  Separation(const Params& params, const std::shared_ptr<const TokenCorpus>&)
      : eps_(params.number("eps")), i_(params.integer("i")), j_(params.integer("j")) {
    require(i_ != j_, kInfo.name, "i and j must differ but both are {}", i_);
  }

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override { return class_shape(2, 2, Readout::kMean); }

 protected:
  Index least_length() const override { return std::max(i_, j_) + 1; }

  void write(Draws& draws, std::span<std::int32_t> tokens,
             std::span<std::int32_t> classes) const override {
    draws.fill(2, tokens);
    const std::int32_t first = tokens[static_cast<std::size_t>(i_)];
    const double right =
        first == tokens[static_cast<std::size_t>(j_)] ? kFollows : 0.5 + 0.5 * eps_;
    classes.front() = draws.happens(right) ? first : 1 - first;
  }

  std::vector<Baseline> exact_baselines(Index length) const override {
    std::vector<Baseline> result =
        class_baselines(uniform_guess(2), uniform_guess(2), equivariant(length));
    const Guess swap = mean(coin(kFollows), coin(0.5));
    const Guess best = mean(coin(kFollows), coin(0.5 + 0.5 * eps_));
    const std::string how = "knows x and i, but not i from j", all = "knows x and i";
    result.push_back({.name = "swap invariant", .value = swap.loss, .how = how});
    result.push_back({.name = "best possible", .value = best.loss, .how = all});
    result.push_back(
        {.name = "swap invariant", .value = swap.accuracy, .of_accuracy = true, .how = how});
    result.push_back(
        {.name = "best possible", .value = best.accuracy, .of_accuracy = true, .how = all});
    return result;
  }

 private:
  // With k ones among n bits, those at i and j are any two of them; of two different ones the label
  // is a fair coin, for the order is unknown.
  static Guess equivariant(Index length) {
    const std::vector<double> law = binomial_law(length, 0.5);
    const auto n = static_cast<double>(length);
    Guess sum{.loss = 0.0, .accuracy = 0.0};
    for (std::size_t ones = 0; ones < law.size(); ++ones) {
      const auto k = static_cast<double>(ones);
      const double pairs = n * (n - 1.0), both = k * (k - 1.0) / pairs;
      const double neither = (n - k) * (n - k - 1.0) / pairs;
      const Guess guess =
          coin(both * kFollows + neither * (1.0 - kFollows) + 0.5 * (1.0 - both - neither));
      sum.loss += law[ones] * guess.loss;
      sum.accuracy += law[ones] * guess.accuracy;
    }
    return sum;
  }

  double eps_;
  Index i_, j_;
};

}  // namespace

void register_separation(TaskRegistry& registry) { registry.add<Separation>(kInfo); }

}  // namespace sextant
