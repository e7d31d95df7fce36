// SPDX-License-Identifier: Apache-2.0
// How far is the key: a function of the lag that a defective (Jordan) block of a rotation is made
// of.
//
// One key (token 0) stands at a uniform position t among fillers. Every position s >= t is a query
// with the target f(s - t); those before it have none. So lag l has weight n - l, and a query at s
// has the lags 0 to s with equal weight. The loss is pooled over all queries.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "sextant/task.h"
#include "training/draws.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    word_param("target", "jordan", "jordan|cosine|ramp",
               "jordan: (lag/unit) cos(frequency lag); cosine: cos(frequency lag); "
               "ramp: -lag/unit"),
    number_param("frequency", "0.4216965034285822", 0, 3.141592653589793,
                 "in radians a position; the default is 1e4^(-6/64)"),
    integer_param("unit", "50", 1, 1e9, "lag of amplitude 1: usually the training length"),
    integer_param("vocabulary", "10", 2, 1e6, "tokens: the key and the fillers"),
};
constexpr std::string_view kExamples[] = {"jordan_query(target=cosine)",
                                          "jordan_query(target=ramp)",
                                          "jordan_query(vocabulary=2,unit=4)"};
constexpr TaskInfo kInfo = {
    .name = "jordan_query",
    .title = "Jordan query",
    .reference = "after Jordan-RoPE, arXiv:2605.04217, targets of table 3",
    .notes =
        "The source fits its targets to features of the lag; here a model is trained on them. "
        "Set-up of our own: one key, every later position asks how far it is. The unit stays "
        "when sequences grow, so the range of training is left.",
    .params = kParams,
    .causal = true,
    .examples = kExamples,
};

// Weighted squares about the mean.
class Spread {
 public:
  void add(double value, double weight) {
    weight_ += weight;
    const double step = (value - mean_) * weight / weight_;
    squares_ += weight * (value - mean_) * (value - mean_ - step);
    mean_ += step;
  }
  double squares() const { return squares_; }

 private:
  double weight_ = 0.0, mean_ = 0.0, squares_ = 0.0;
};

class JordanQuery final : public Task {
 public:
  JordanQuery(const Params& params, const std::shared_ptr<const TokenCorpus>&)
      : target_(params.word("target")),
        frequency_(params.number("frequency")),
        unit_(static_cast<double>(params.integer("unit"))),
        vocabulary_(params.integer("vocabulary")) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override { return {.vocabulary = vocabulary_}; }

  Batch sample(std::uint64_t seed, std::uint64_t number, Index sequences,
               Index length) const override {
    require(length >= 1, kInfo.name, "length must be at least 1 but got {}", length);
    Batch batch{.sequences = sequences, .length = length};
    const auto size = static_cast<std::size_t>(sequences * length);
    batch.tokens.reserve(size);
    batch.numbers.reserve(size);
    for (Index i = 0; i < sequences; ++i) {
      Draws draws(seed, number, i);
      const Index key = draws.below(length);
      for (Index s = 0; s < length; ++s) {
        batch.tokens.push_back(s == key ? 0 : 1 + draws.token(vocabulary_ - 1));
        batch.numbers.push_back(s < key ? std::numeric_limits<double>::quiet_NaN()
                                        : target(s - key));
      }
    }
    return batch;
  }

  // An equivariant query knows whether it is the key, and nothing else about the lag.
  std::vector<Baseline> baselines(Index length) const override {
    require(length >= 1, kInfo.name, "length must be at least 1 but got {}", length);
    Spread all, later, here;
    double by_position = 0.0;
    for (Index lag = 0; lag < length; ++lag) {
      const auto weight = static_cast<double>(length - lag);
      all.add(target(lag), weight);
      if (lag > 0) later.add(target(lag), weight);
      here.add(target(lag), 1.0);
      by_position += here.squares();
    }
    const double queries = 0.5 * static_cast<double>(length) * static_cast<double>(length + 1);
    return {{.name = "best constant", .value = all.squares() / queries},
            {.name = "position only", .value = by_position / queries, .how = "knows i, not x"},
            {.name = "best equivariant",
             .value = later.squares() / queries,
             .how = "knows x, not i; without a mask"}};
  }

 private:
  double target(Index lag) const {
    const auto l = static_cast<double>(lag);
    if (target_ == "ramp") return -l / unit_;
    const double wave = std::cos(frequency_ * l);
    return target_ == "cosine" ? wave : l / unit_ * wave;
  }

  std::string target_;
  double frequency_, unit_;
  Index vocabulary_;
};

}  // namespace

void register_jordan_query(TaskRegistry& registry) { registry.add<JordanQuery>(kInfo); }

}  // namespace sextant
