// SPDX-License-Identifier: Apache-2.0
// The empirical tangent kernel of a small model, and how far training moves it, by width.
//
// The theory behind T3 needs a kernel that stays. Here the parametrisation is the usual one and the
// optimiser Adam: the drift need not vanish with the width, and the study says whether it falls.
#include <fmt/format.h>

#include <cmath>

#include "training/tangent_result.h"
#include "training/trial_study.h"

namespace sextant {
namespace {

constexpr StudyInfo kInfo = {
    .name = "ntk",
    .title = "Drift of the empirical tangent kernel",
    .claim = "T3",
    .question = "Does the kernel of parameter gradients stay where it started, the wider the more?",
    .controls =
        "the same steps at a rate that falls with the width; a drift of 0 would be the kernel "
        "regime, one near 1 a kernel that training made",
    .lab_verb = "ntk",
};

constexpr Index kWidths[] = {16, 32, 64, 128, 256};
constexpr std::size_t kQuickWidths = 2;
constexpr Index kLength = 12;
constexpr double kRate = 1e-3;

std::span<const Index> widths(const StudySetup& setup) {
  return std::span(kWidths).first(setup.quick ? kQuickWidths : std::size(kWidths));
}

std::string arm_name(Index width, bool scaled) {
  return fmt::format("d={}{}", width, scaled ? ", rate 16/d" : "");
}

std::vector<StudyTrial> plan(const StudySetup& setup) {
  std::vector<StudyTrial> result;
  for (const Index width : widths(setup)) {
    for (const bool scaled : {false, true}) {
      if (scaled && width == kWidths[0]) continue;  // the same trial
      Trial trial;
      trial.task = "order";
      trial.model.dim = width;
      trial.model.hidden = 2 * width;
      const double share = static_cast<double>(kWidths[0]) / static_cast<double>(width);
      trial.schedule = {.steps = setup.quick ? 40 : 300,
                        .batch = 32,
                        .rate = scaled ? kRate * share : kRate,
                        .warm_up = 10,
                        .decay_from = 1.0};
      trial.train_length = kLength;
      trial.test_lengths = {kLength};
      add_arm(result, arm_name(width, scaled), trial, "sinusoidal", setup);
    }
  }
  return result;
}

StudyMeasure of_kernel(double TangentResult::*member) {
  return [member](const StudyOutcome& each) -> std::optional<double> {
    return read_tangent_result(each.folder).*member;
  };
}

// Slope of log drift against log width, by least squares.
double exponent(std::span<const double> x, std::span<const double> y) {
  double mean_x = 0.0, mean_y = 0.0, xy = 0.0, xx = 0.0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += std::log(x[i]) / n;
    mean_y += std::log(y[i]) / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (std::log(x[i]) - mean_x) * (std::log(y[i]) - mean_y);
    xx += (std::log(x[i]) - mean_x) * (std::log(x[i]) - mean_x);
  }
  return xy / xx;
}

void add_family(StudyFindings& findings, const StudySetup& setup,
                std::span<const StudyOutcome> outcomes, bool scaled) {
  Vector x, y;
  std::optional<double> narrowest;  // drift of the first width
  for (const Index width : widths(setup)) {
    const std::string arm = arm_name(width, scaled && width > kWidths[0]);
    StudyNumber drift = measured(outcomes, arm, "drift", of_kernel(&TangentResult::drift));
    if (!drift.values.empty() && drift.mean() > 0.0) {
      x.push_back(static_cast<double>(width));
      y.push_back(drift.mean());
    }
    if (width == kWidths[0] && !drift.values.empty()) narrowest = drift.mean();
    if (scaled && width == kWidths[0]) continue;
    if (narrowest && width != kWidths[0]) {
      drift.control = arm_name(kWidths[0], false);
      drift.against = narrowest;
    }
    findings.numbers.push_back(std::move(drift));
    findings.numbers.push_back(
        measured(outcomes, arm, "alignment", of_kernel(&TangentResult::alignment)));
    StudyNumber accuracy = measured(outcomes, arm, "accuracy", tested(TrialMetric::kAccuracy));
    accuracy.control = "best equivariant";
    accuracy.against = 0.5;
    findings.numbers.push_back(std::move(accuracy));
  }
  if (x.size() < 2) return;
  const double slope = exponent(x, y);
  findings.sentences.push_back(fmt::format(
      "{}: the kernel moves by {:.2f} of its norm at width {:.0f} and {:.2f} at {:.0f}, as "
      "d^{:.2f}: "
      "{}.",
      scaled ? "rate 16/d" : "fixed rate", y.front(), x.front(), y.back(), x.back(), slope,
      slope < -0.25  ? "it falls with the width, though Adam is not the flow of the theory"
      : slope > 0.25 ? "it grows: these models are not in the kernel regime"
                     : "the width hardly matters: no sign of the kernel regime"));
  Figure figure{.title = scaled ? "Drift by width, rate 16/d" : "Drift by width, fixed rate",
                .x_label = "width",
                .y_label = "relative drift",
                .log_x = true,
                .log_y = true};
  figure.curves.push_back({.name = "drift", .x = x, .y = y});
  findings.figures.push_back(std::move(figure));
}

StudyFindings analyse(const StudySetup& setup, std::span<const StudyOutcome> outcomes) {
  StudyFindings findings;
  add_family(findings, setup, outcomes, false);
  add_family(findings, setup, outcomes, true);
  return findings;
}

}  // namespace

void register_ntk(StudyRegistry& registry) { registry.add(kInfo, plan, analyse); }

}  // namespace sextant
