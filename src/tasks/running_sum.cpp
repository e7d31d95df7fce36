// SPDX-License-Identifier: Apache-2.0
// The sum of what came before, at every position: Li's experiment.
//
// With x independent of mean m and variance v, all baselines are sums of moments. The best
// equivariant predictor sees x_i and the others as a set: the number k of others before i is
// uniform on 0..n-1, and given k they are drawn without replacement.
#include <fmt/format.h>

#include "base/rng.h"
#include "sextant/task.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    word_param("input", "uniform", "uniform|binary|normal", "law of x: U[0,1], {0,1} or N(0,1)"),
    word_param("target", "own", "own|fixed|mean",
               "own: sum / length of the sequence; fixed: sum / unit; mean: sum / number of terms"),
    integer_param("unit", "50", 1, 1e9, "divisor of target=fixed: usually the training length"),
};
constexpr std::string_view kExamples[] = {"running_sum(target=mean)", "running_sum(input=binary)",
                                          "running_sum(target=fixed,unit=100)"};
constexpr TaskInfo kInfo = {
    .name = "running_sum",
    .title = "Running sum",
    .reference = "Li, arXiv:2506.06398, section 7.2, table 5",
    .notes =
        "Needs the order of the sequence, but not the distance: a mean over a prefix. What the "
        "sum is divided by decides whether longer sequences leave the range of training.",
    .params = kParams,
    .examples = kExamples,
};

struct Moments {
  double mean, variance;
};

class RunningSum final : public Task {
 public:
  RunningSum(const Params& params, const std::shared_ptr<const TokenCorpus>&)
      : input_(params.word("input")),
        target_(params.word("target")),
        unit_(static_cast<double>(params.integer("unit"))) {}

  const TaskInfo& info() const override { return kInfo; }
  TaskShape shape() const override { return {}; }

  Batch sample(std::uint64_t seed, std::uint64_t number, Index sequences,
               Index length) const override {
    const Rng rng(seed, number);
    Batch batch{.sequences = sequences, .length = length};
    const auto size = static_cast<std::size_t>(sequences * length);
    batch.values.reserve(size);
    batch.numbers.reserve(size);
    for (Index i = 0; i < sequences; ++i) {
      double sum = 0.0;
      for (Index t = 0; t < length; ++t) {
        batch.values.push_back(drawn(rng, static_cast<std::uint64_t>(i * length + t)));
        sum += batch.values.back();
        batch.numbers.push_back(sum / divisor(t, length));
      }
    }
    return batch;
  }

  std::vector<Baseline> baselines(Index length) const override {
    const auto [m, v] = moments();
    const auto n = static_cast<double>(length);
    double first = 0.0, second = 0.0, noise = 0.0;  // of the expected targets; within positions
    for (Index t = 0; t < length; ++t) {
      const double count = static_cast<double>(t + 1), unit = divisor(t, length);
      first += m * count / unit / n;
      second += m * m * count * count / (unit * unit) / n;
      noise += v * count / (unit * unit) / n;
    }
    return {{.name = "best constant", .value = noise + second - first * first},
            {.name = "position only", .value = noise, .how = "knows i, not x"},
            {.name = "best equivariant", .value = equivariant(length), .how = "knows x, not i"}};
  }

 private:
  double drawn(const Rng& rng, std::uint64_t counter) const {
    if (input_ == "normal") return rng.normal(counter);
    const double u = rng.uniform(counter);
    return input_ == "uniform" ? u : (u < 0.5 ? 0.0 : 1.0);
  }
  Moments moments() const {
    if (input_ == "normal") return {0.0, 1.0};
    return {0.5, input_ == "uniform" ? 1.0 / 12.0 : 0.25};
  }
  double divisor(Index t, Index length) const {
    if (target_ == "mean") return static_cast<double>(t + 1);
    return target_ == "own" ? static_cast<double>(length) : unit_;
  }

  // The target is (x_i + sum of k others) / c_k. Given x_i and the others, whose mean is mu, it is
  // a_k x_i + b_k mu + noise with a_k = 1/c_k and b_k = k/c_k; the best predictor replaces a and b
  // by their means over k.
  double equivariant(Index length) const {
    const auto [m, v] = moments();
    const auto n = static_cast<double>(length);
    const double others = n - 1.0;
    double a = 0.0, aa = 0.0, b = 0.0, bb = 0.0, ab = 0.0, noise = 0.0;
    for (Index t = 0; t < length; ++t) {
      const double k = static_cast<double>(t), c = divisor(t, length);
      a += 1.0 / c / n;
      aa += 1.0 / (c * c) / n;
      b += k / c / n;
      bb += k * k / (c * c) / n;
      ab += k / (c * c) / n;
      if (length > 1) noise += v * k * (others - k) / others / (c * c) / n;
    }
    const double own = m * m + v, mean_square = length > 1 ? m * m + v / others : 0.0;
    return noise + (aa - a * a) * own + (bb - b * b) * mean_square + 2.0 * (ab - a * b) * m * m;
  }

  std::string input_, target_;
  double unit_;
};

}  // namespace

void register_running_sum(TaskRegistry& registry) { registry.add<RunningSum>(kInfo); }

}  // namespace sextant
