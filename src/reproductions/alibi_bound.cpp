// SPDX-License-Identifier: Apache-2.0
// Equation 9 of Li: one weight of ALiBi's attention beyond the training length, and how it grows.
#include <fmt/format.h>

#include <cmath>

#include "sextant/registry.h"
#include "training/reproduction.h"

namespace sextant {
namespace {

constexpr ReproductionInfo kInfo = {
    .name = "alibi-bound",
    .source = "Li, arXiv:2506.06398, section 5.3",
    .method =
        "one query without content, keys at distances 0..N-2 and one more that moves from N to d; "
        "the change of its weight"};

constexpr Index kTrain = 50;
constexpr Index kNear = 100, kFar = 200;
constexpr double kAlpha = 0.1;
constexpr double kLinear = 0.005;    // an exponent of 1.00 is linear
constexpr double kLipschitz = 0.25;  // of one softmax weight in its own logit

// The weight of a key at distance d beside kTrain - 1 others.
double weight(const LogitBias& bias, Index distance) {
  double others = 0.0;
  for (Index i = 0; i + 1 < kTrain; ++i)
    others += std::exp(bias.at(0, static_cast<double>(i), 0.0));
  const double own = std::exp(bias.at(0, static_cast<double>(distance), 0.0));
  return own / (own + others);
}

std::vector<PublishedCell> cells() {
  const std::string setup = fmt::format("alibi(slope={}), N={}, d={}", kAlpha, kTrain, kFar);
  const std::string bound = fmt::format("{}", kLipschitz * kAlpha * (kFar - kTrain));
  PublishedCell change = computed_cell("|A(mu,-alpha d) - A(mu,-alpha N)|", "eq. 9", bound,
                                       setup + "; L_A = 1/4, which is ours", Relation::kAtMost);
  change.half_digit = 0.0;
  PublishedCell growth = computed_cell(
      "exponent of d-N in the change", "mechanism 1: 'error grows linearly with (d-Nmax)'", "1",
      fmt::format("{}; between d={} and d={}", setup, kNear, kFar));
  growth.half_digit = kLinear;
  growth.readings.push_back({.condition = "alpha (d-N) is far below 1"});
  PublishedCell bias =
      computed_cell("largest |bias| at length N'", "table 2 and mechanism 3: alpha(N'-1)",
                    fmt::format("{}", std::round(kAlpha * (kFar - 1) * 10.0) / 10.0),
                    fmt::format("alibi(slope={}), N'={}", kAlpha, kFar));
  bias.half_digit = 0.0;
  return {change, growth, bias};
}

double exponent(const LogitBias& bias, Index near, Index far) {
  const double at_train = weight(bias, kTrain);
  const double ratio = (at_train - weight(bias, far)) / (at_train - weight(bias, near));
  return std::log(ratio) /
         std::log(static_cast<double>(far - kTrain) / static_cast<double>(near - kTrain));
}

void compute(std::span<PublishedCell> cells, const ReproductionContext&) {
  const auto bias_of = [](double alpha) {
    return encodings()
        .make(fmt::format("alibi(slope={})", alpha))
        ->effects({.positions = kFar, .dim = 64, .heads = 1})
        .logit.value();
  };
  constexpr double kSmall = 1e-6;
  const LogitBias bias = bias_of(kAlpha);
  cells[0].readings[0].ours = weight(bias, kTrain) - weight(bias, kFar);
  cells[0].remark = "the weight at distance N bounds the change for every d";
  cells[1].readings[0].ours = exponent(bias, kNear, kFar);
  cells[1].readings[1].ours = exponent(bias_of(kSmall), kNear, kFar);
  cells[2].readings[0].ours = -bias.at(0, static_cast<double>(kFar - 1), 0.0);
}

}  // namespace

void register_alibi_bound(ReproductionRegistry& registry) { registry.add(kInfo, cells, compute); }

}  // namespace sextant
