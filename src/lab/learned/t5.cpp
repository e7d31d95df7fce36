// SPDX-License-Identifier: Apache-2.0
// One number per head and bucket of the lag.
#include "encoding/learned_values.h"
#include "lab/learned_start.h"

namespace sextant {
namespace {

class T5 final : public LearnedTerm {
 public:
  explicit T5(const LearnedStart& start) {
    const Params params = params_of(start);
    const Index buckets = params.integer("buckets");
    // With the numbers of its buckets as their values, the encoding tells the bucket of a lag.
    const torch::Tensor numbers = torch::arange(buckets, torch::kDouble).unsqueeze(1);
    bucket_ = *with_values(start, {{"file", stored(numbers)}})->effects({.heads = 1}).logit;
    const Matrix first = LearnedValues(params, "t5").matrix(buckets, start.shape.heads);
    values_ = register_parameter("values", to_torch(first, start.options));
  }

  SiteTensors sites(Index n) override {
    Vector buckets;
    for (Index lag = 1 - n; lag < n; ++lag)
      buckets.push_back(bucket_.at(0, static_cast<double>(lag), 0.0));
    const torch::Tensor rows =
        to_torch(buckets, torch::TensorOptions(torch::kLong).device(values_.device()));
    return {.bias = by_pair(values_.index_select(0, rows).t(), n)};
  }

  TensorMap values() const override { return {{"file", stored(values_)}}; }

 private:
  LogitBias bucket_;
  torch::Tensor values_;  // [buckets, heads]
};

}  // namespace

void register_t5(LearnedRegistry& registry) { registry.add<T5>("t5"); }

}  // namespace sextant
