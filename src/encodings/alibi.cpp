// SPDX-License-Identifier: Apache-2.0
// Attention with linear biases: a penalty proportional to the distance, at one slope per head.
//
// Slopes of a head count that is no power of two follow the authors' code: those of the largest
// power of two below, then every other slope of the doubled set. (2^(-8h/H) for all H is wrong.)
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/rounding.h"
#include "encoding/per_head.h"
#include "math/double_double.h"
#include "math/elementary.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

constexpr ParamInfo kParams[] = {
    integer_param("heads", "", 1, 1e5, "head count; the model's if not given"),
    list_param("slope", "", -1e6, 1e6, "one slope for all heads, or one per head"),
    file_param("per_head", "trained slopes instead, [1, heads] or [1, 1] for all"),
    word_param("causal", "0", "0|1", "1: keys after the query are masked"),
    number_param("max_bias", "8", 1e-6, 1e3, "slopes of 2^a heads are 2^(-max_bias h / 2^a)"),
    word_param("schedule", "constant", "constant|inverse|sqrt|log",
               "slope past `length`: as it is, times length/L, its root, or ln length / ln L"),
    integer_param("length", "", 2, 1e12, "training length of the schedule"),
};

constexpr std::string_view kExamples[] = {
    "alibi(heads=12)",
    "alibi(slope=0.5)",
    "alibi(causal=1)",
    "alibi(slope=0.5,schedule=inverse,length=8)",
};

constexpr EncodingInfo kInfo = {
    .name = "alibi",
    .title = "Attention with linear biases (ALiBi)",
    .formula = R"(b_h(s,t) = -m_h\,|s-t|,\quad m_h = 2^{-8h/H})",
    .reference = "Press et al., Train Short, Test Long, 2021, arXiv:2108.12409",
    .notes =
        "Two-sided by default. The key-only form of BLOOM differs by a constant per row, which "
        "softmax cancels.",
    .sites = {.logit = true},
    .params = kParams,
    .claims = {.translation_invariant = Claim::kYes,
               .any_length = Claim::kYes,
               .separates = Claim::kYes,
               .bounded = Claim::kNo},
    .examples = kExamples,
};

// 2^(-max_bias h / count) for h = 1..count.
std::vector<double> geometric_slopes(Index count, double max_bias) {
  std::vector<double> slopes;
  for (Index h = 1; h <= count; ++h) {
    const DoubleDouble exponent =
        DoubleDouble(-max_bias) * static_cast<double>(h) / static_cast<double>(count);
    slopes.push_back(to_double(power(2.0, exponent)));
  }
  return slopes;
}

std::vector<double> slopes_of(Index heads, double max_bias) {
  Index power = 1;
  while (2 * power <= heads) power *= 2;
  std::vector<double> slopes = geometric_slopes(power, max_bias);
  const std::vector<double> doubled = geometric_slopes(2 * power, max_bias);
  for (std::size_t i = 0; static_cast<Index>(slopes.size()) < heads; i += 2)
    slopes.push_back(doubled[i]);
  return slopes;
}

class Alibi final : public Encoding {
 public:
  explicit Alibi(const Params& params)
      : heads_(params.has("heads") ? params.integer("heads") : 0),
        slopes_(params.list("slope")),
        causal_(params.word("causal") == "1"),
        max_bias_(params.number("max_bias")),
        schedule_(params.word("schedule")),
        length_(params.has("length") ? params.number("length") : 0.0) {
    if (params.has("per_head"))
      slopes_ = per_head_rows(params, 1, {"slope", "max_bias"}, kInfo.name).front();
    require((schedule_ == "constant") == (length_ == 0.0), kInfo.name,
            "schedule and length must be given together");
    require(slopes_.empty() || !params.given("max_bias"), kInfo.name,
            "slope and max_bias must not be given together");
    const auto count = static_cast<Index>(slopes_.size());
    if (count > 1) {
      require(heads_ == 0 || heads_ == count, kInfo.name,
              "slope must have one entry or {} but has {}", heads_, count);
      heads_ = count;
    }
  }

  const EncodingInfo& info() const override { return kInfo; }
  Index heads() const override { return heads_; }

  Claims claims() const override {
    Claims claims = kInfo.claims;
    if (causal_) claims.needs_causal_mask = Claim::kYes;
    if (schedule_ != "constant") claims.length_free = Claim::kNo;
    const auto is_zero = [](double slope) { return slope == 0.0; };
    if (!slopes_.empty() && std::all_of(slopes_.begin(), slopes_.end(), is_zero)) {
      claims.bounded = Claim::kYes;
      if (!causal_) claims.separates = Claim::kNo;
    }
    return claims;
  }

  Effects make_effects(const Extent& extent) const override {
    require(extent.heads >= 1 && (heads_ == 0 || heads_ == extent.heads), kInfo.name,
            "heads must be {} but got {}", heads_ == 0 ? 1 : heads_, extent.heads);
    std::vector<double> slopes = slopes_;
    if (slopes.empty()) slopes = slopes_of(extent.heads, max_bias_);
    if (slopes.size() == 1) slopes.resize(static_cast<std::size_t>(extent.heads), slopes[0]);
    for (double& slope : slopes) slope *= schedule(extent.positions);
    return {.logit = LogitBias{.at = [slopes, causal = causal_](Index head, double s, double t) {
              const double lag = s - t;
              if (causal && lag < 0.0) return -std::numeric_limits<double>::infinity();
              return 0.0 - slopes[static_cast<std::size_t>(head)] * std::abs(lag);  // +0 at lag 0
            }}};
  }

 private:
  double schedule(Index positions) const {
    const auto current = static_cast<double>(positions);
    if (schedule_ == "constant" || current <= length_) return 1.0;
    if (schedule_ == "inverse") return length_ / current;
    if (schedule_ == "sqrt") return std::sqrt(length_ / current);
    return to_double(log(DoubleDouble(length_)) / log(DoubleDouble(current)));
  }

  Index heads_;
  std::vector<double> slopes_;
  bool causal_;
  double max_bias_;
  std::string schedule_;
  double length_;
};

}  // namespace

void register_alibi(EncodingRegistry& registry) { registry.add<Alibi>(kInfo); }

}  // namespace sextant
