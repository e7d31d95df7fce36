// SPDX-License-Identifier: Apache-2.0
// T5's bucketed bias: one learned number per head and bucket of the lag; buckets are exact near
// zero and open geometrically up to a maximal distance.
//
// The bucket borders are computed once as the smallest whole distances that reach
// exact * (distance/exact)^(k/steps). A program that takes logarithms in float puts some borders
// one position off.
#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "encoding/learned_values.h"
#include "math/double_double.h"
#include "math/elementary.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    file_param("file", "trained values, [buckets, heads]; without it an initial draw"),
    integer_param("buckets", "32", 4, 1e4, "number of buckets"),
    integer_param("distance", "128", 2, 1e9, "distance from which on all share the last bucket"),
    word_param("causal", "0", "0|1",
               "1: all buckets for keys before the query, later ones get 0's"),
    integer_param("seed", "1", 0, 1e15, "of the initial draw"),
};

constexpr std::string_view kExamples[] = {"t5(causal=1)", "t5(buckets=8,distance=16)"};

constexpr EncodingInfo kInfo = {
    .name = "t5",
    .title = "T5 bucketed bias",
    .formula = R"(b_h(s,t) = \beta_{h,\mathrm{bucket}(s-t)})",
    .reference =
        "Raffel et al., Exploring the Limits of Transfer Learning with a Unified "
        "Text-to-Text Transformer, 2019, arXiv:1910.10683",
    .notes =
        "Bidirectional: keys after the query take the upper half of the buckets. Causal: keys "
        "after the query fall into bucket 0 and are meant to be masked.",
    .sites = {.logit = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kYes,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kYes},
    .examples = kExamples,
    .needs_values = true,
};

// borders[b] is the smallest distance in bucket b.
std::vector<double> bucket_borders(Index buckets, Index distance) {
  const Index exact = buckets / 2;
  const Index steps = buckets - exact;
  std::vector<double> borders;
  for (Index b = 0; b < exact; ++b) borders.push_back(static_cast<double>(b));
  const DoubleDouble ratio =
      DoubleDouble(static_cast<double>(distance)) / static_cast<double>(exact);
  for (Index k = 0; k < steps; ++k) {
    const DoubleDouble border = static_cast<double>(exact) * rational_power(ratio, k, steps);
    const double nearest = std::nearbyint(border.high);
    const bool whole = std::abs((border - nearest).high) < 1e-20 * nearest;
    const bool above = border.high == std::floor(border.high) && border.low > 0.0;
    borders.push_back(whole ? nearest : std::ceil(border.high) + (above ? 1.0 : 0.0));
  }
  return borders;
}

class T5 final : public Encoding {
 public:
  explicit T5(const Params& params)
      : causal_(params.word("causal") == "1"),
        buckets_(params.integer("buckets")),
        values_(params, kInfo.name) {
    require(buckets_ % 2 == 0, kInfo.name, "buckets must be even but got {}", buckets_);
    const Index per_side = causal_ ? buckets_ : buckets_ / 2;
    require(params.integer("distance") > per_side / 2, kInfo.name,
            "distance must exceed the {} exact buckets but got {}", per_side / 2,
            params.integer("distance"));
    borders_ = bucket_borders(per_side, params.integer("distance"));
  }

  const EncodingInfo& info() const override { return kInfo; }
  Index heads() const override { return values_.trained_columns(); }

  Effects make_effects(const Extent& extent) const override {
    return {.logit = LogitBias{.at = [values = values_.matrix(buckets_, extent.heads),
                                      borders = borders_,
                                      causal = causal_](Index head, double s, double t) {
              return values(bucket(borders, causal, s - t), head);
            }}};
  }

 private:
  static Index bucket(const std::vector<double>& borders, bool causal, double lag) {
    const double distance = causal ? std::max(lag, 0.0) : std::abs(lag);
    const auto above = std::upper_bound(borders.begin(), borders.end(), distance);
    const Index within = above - borders.begin() - 1;
    return !causal && lag < 0.0 ? within + static_cast<Index>(borders.size()) : within;
  }

  bool causal_;
  Index buckets_;
  LearnedValues values_;
  std::vector<double> borders_;
};

}  // namespace

void register_t5(EncodingRegistry& registry) { registry.add<T5>(kInfo); }

}  // namespace sextant
