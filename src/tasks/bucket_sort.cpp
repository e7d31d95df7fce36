// SPDX-License-Identifier: Apache-2.0
// The tokens in order of size: the target at i is the i-th smallest, i = 0, 1, ...
//
// To an equivariant predictor i is any position, so the target is any of the n tokens, each with
// the same probability. One that knows i alone has the law of an order statistic.
#include <algorithm>

#include "training/class_baselines.h"
#include "training/class_task.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("vocabulary", "5", 1, 1000, "tokens, all equally likely"),
};
constexpr std::string_view kExamples[] = {"bucket_sort(vocabulary=2)"};
constexpr TaskInfo kInfo = {
    .name = "bucket_sort",
    .title = "Bucket sort",
    .reference = "Deletang et al., arXiv:2207.02098, bucket sort",
    .notes =
        "Context sensitive, with counters. The multiset and the own index decide. Under a "
        "causal mask a position does not see what it has to sort.",
    .params = kParams,
    .examples = kExamples,
};

class BucketSort final : public ClassTask {
 public:
  BucketSort(const Params& params, const std::shared_ptr<const TokenCorpus>&)
      : vocabulary_(params.integer("vocabulary")) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override {
    return class_shape(vocabulary_, vocabulary_, Readout::kEveryPosition);
  }

 protected:
  void write(Draws& draws, std::span<std::int32_t> tokens,
             std::span<std::int32_t> classes) const override {
    draws.fill(vocabulary_, tokens);
    std::ranges::copy(tokens, classes.begin());
    std::ranges::sort(classes);
  }

  std::vector<Baseline> exact_baselines(Index length) const override {
    return class_baselines(uniform_guess(vocabulary_), position_guess(length),
                           multiset_guess(length, vocabulary_));
  }

 private:
  // The i-th smallest is at most v where more than i of n tokens are.
  Guess position_guess(Index length) const {
    const auto n = static_cast<std::size_t>(length), kinds = static_cast<std::size_t>(vocabulary_);
    std::vector<std::vector<double>> law(n, std::vector<double>(kinds));
    std::vector<double> below(n, 0.0);  // P(i-th smallest < v)
    for (std::size_t v = 0; v < kinds; ++v) {
      const std::vector<double> count =
          binomial_law(length, static_cast<double>(v + 1) / static_cast<double>(vocabulary_));
      double more = 0.0;
      for (std::size_t i = n; i-- > 0;) {
        more += count[i + 1];
        law[i][v] = std::max(more - below[i], 0.0);
        below[i] = more;
      }
    }
    Guess mean{.loss = 0.0, .accuracy = 0.0};
    for (const std::vector<double>& at_i : law) {
      const Guess guess = guess_of_law(at_i);
      mean.loss += guess.loss / static_cast<double>(n);
      mean.accuracy += guess.accuracy / static_cast<double>(n);
    }
    return mean;
  }

  Index vocabulary_;
};

}  // namespace

void register_bucket_sort(TaskRegistry& registry) { registry.add<BucketSort>(kInfo); }

}  // namespace sextant
