// SPDX-License-Identifier: Apache-2.0
// Table 5 of Li: the running sum at four times the training length. The source says neither what
// the sum is divided by nor what becomes of positions past the training length; the latter decides
// the result, so that each rule is a reading of its own.
#include <fmt/format.h>

#include "training/reproduction.h"

namespace sextant {
namespace {

constexpr ReproductionInfo kInfo = {
    .name = "running-sum",
    .source = "Li, arXiv:2506.06398, section 7",
    .method =
        "2 layers, d=64, 1 head, norms after, ReLU 128, trained on 800 x 10 fresh sequences of "
        "length 50, x ~ U[0,1], target sum / length of the sequence; mean square error over 500 "
        "sequences of length 200"};

constexpr Index kLength = 200;
constexpr const char* kSetup = "running_sum, both directions, Adam 1e-3, 800 steps of 10, N=50";

Trial trial(std::string_view encoding) {
  Trial result;
  result.task = "running_sum";
  result.encoding = encoding;
  return result;
}

Reading reading(std::string_view condition, std::string_view encoding, bool quick = true) {
  return {.condition = std::string(condition),
          .trained = TrainedValue{.trial = trial(encoding), .length = kLength},
          .quick = quick};
}

Reading difference(std::string_view condition, std::string_view encoding, std::string_view other,
                   bool quick) {
  return {
      .condition = std::string(condition),
      .trained = TrainedValue{.trial = trial(encoding), .against = trial(other), .length = kLength},
      .quick = quick};
}

PublishedCell error_cell(std::string_view name, std::string_view published,
                         std::string_view encoding) {
  const PrintedNumber number = printed(published);
  const auto ruled = [encoding](std::string_view rule) {
    return fmt::format("{}(positions={})", encoding, rule);
  };
  return {
      .cell = fmt::format("{} / MSE at N=200", name),
      .place = "table 5",
      .published = number.value,
      .half_digit = number.half_digit,
      .setup = kSetup,
      .stated = false,
      .readings = {
          reading("", encoding), reading("positions are re-scaled to the length", ruled("rescale")),
          reading("positions past the training length are clamped", ruled("clamp"), false)}};
}

PublishedCell order_cell(std::string_view other, std::vector<Reading> readings) {
  return {.cell = fmt::format("wavelet minus {} / MSE at N=200", other),
          .place = "key results: 'lowest extrapolation error'",
          .published = 0.0,
          .relation = Relation::kBelow,
          .setup = kSetup,
          .readings = std::move(readings)};
}

std::vector<PublishedCell> cells() {
  constexpr const char* kRescaled = "wavelet(positions=rescale)";
  constexpr const char* kOneRescaled = "the wavelet is re-scaled and the {} is not";
  return {
      error_cell("wavelet", "0.0108", "wavelet"),
      error_cell("sinusoidal", "0.0423", "sinusoidal"),
      order_cell("sinusoidal", {difference("", "wavelet", "sinusoidal", true),
                                difference("both are re-scaled", kRescaled,
                                           "sinusoidal(positions=rescale)", true),
                                difference(fmt::format(fmt::runtime(kOneRescaled), "sinusoid"),
                                           kRescaled, "sinusoidal", true)}),
      order_cell("ALiBi", {difference("", "wavelet", "alibi", true),
                           difference("the wavelet is re-scaled", kRescaled, "alibi", true)}),
      order_cell("Legendre",
                 {difference("", "wavelet", "legendre", false),
                  difference("both are re-scaled", kRescaled, "legendre(positions=rescale)", false),
                  difference(fmt::format(fmt::runtime(kOneRescaled), "Legendre table"), kRescaled,
                             "legendre", false)}),
      {.cell = "learned minus best constant / MSE at N=200",
       .place = "key results: 'zero extrapolation capability'",
       .published = 0.0,
       .relation = Relation::kAtLeast,
       .setup = fmt::format("{}; past the table its last row is repeated", kSetup),
       .readings = {{.trained = TrainedValue{.trial = trial("learned(beyond=clamp)"),
                                             .baseline = "best constant",
                                             .length = kLength},
                     .quick = false}}}};
}

}  // namespace

void register_running_sum(ReproductionRegistry& registry) { registry.add(kInfo, cells); }

}  // namespace sextant
