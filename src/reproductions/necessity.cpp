// SPDX-License-Identifier: Apache-2.0
// The experiment that would settle the necessity theorem: without an encoding, does accuracy on a
// task of order exceed a guess? What "a guess" knows is left open by the source: a set of tokens
// says more than nothing.
#include <fmt/format.h>

#include "training/reproduction.h"

namespace sextant {
namespace {

constexpr ReproductionInfo kInfo = {
    .name = "necessity",
    .source = "Cirrincione, arXiv:2604.05217, necessity theorem",
    .method =
        "2 layers, d=32, 1 head, norms after, ReLU 64, no encoding, 500 steps of 32 sequences of "
        "length 12 over 10 tokens; accuracy minus that of a predictor that learns nothing"};

constexpr Index kLength = 12;

Trial trial(std::string_view task, bool causal) {
  Trial result;
  result.task = task;
  result.encoding = "none";
  result.model.dim = 32;
  result.model.hidden = 64;
  result.model.causal = causal;
  result.schedule.steps = 500;
  result.schedule.batch = 32;
  result.train_length = kLength;
  result.test_lengths = {kLength};
  result.test_sequences = 2000;
  return result;
}

Reading reading(std::string_view condition, std::string_view task, bool causal,
                std::string_view baseline) {
  return {.condition = std::string(condition),
          .trained = TrainedValue{.trial = trial(task, causal),
                                  .baseline = std::string(baseline),
                                  .length = kLength,
                                  .metric = TrialMetric::kAccuracy}};
}

PublishedCell cell(std::string_view task, bool causal, std::vector<Reading> readings) {
  return {.cell = fmt::format("{} without an encoding{} / accuracy minus chance", task,
                              causal ? ", causal mask" : ""),
          .place = "'what would settle it': accuracy exceeds random guessing",
          .published = 0.0,
          .relation = Relation::kAtMost,
          .setup = fmt::format("{}, length 12, {}", task,
                               causal ? "a token sees those before it" : "both directions"),
          .readings = std::move(readings)};
}

std::vector<PublishedCell> cells() {
  constexpr const char* kSet = "guessing knows which tokens the sequence has";
  constexpr const char* kOwnIndex = "own_index(positions=12)";
  return {cell("order", false, {reading("", "order", false, "chance")}),
          cell("order", true, {reading("", "order", true, "chance")}),
          cell("reversal", false,
               {reading("", "reversal", false, "chance"),
                reading(kSet, "reversal", false, "best equivariant")}),
          cell("own_index", false, {reading("", kOwnIndex, false, "chance")}),
          cell("own_index", true, {reading("", kOwnIndex, true, "chance")})};
}

}  // namespace

void register_necessity(ReproductionRegistry& registry) { registry.add(kInfo, cells); }

}  // namespace sextant
