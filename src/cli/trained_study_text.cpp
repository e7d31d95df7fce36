// SPDX-License-Identifier: Apache-2.0
#include "cli/trained_study_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "run/trial_document.h"
#include "training/statistics.h"

namespace sextant::cli {
namespace {

std::string value_text(double value) {
  if (std::isnan(value)) return "-";
  const double size = std::abs(value);
  if (value == 0.0 || (size >= 1e-3 && size < 1e5)) return fmt::format("{:.4g}", value);
  return fmt::format("{:.2e}", value);
}

std::string control_text(const StudyNumber& number) {
  if (number.control.empty() || !number.against) return "";
  return fmt::format("{} {}", number.control, value_text(*number.against));
}

std::string spread_text(std::span<const double> values) {
  return values.empty() ? "-" : value_text(summary(values).sd.value_or(std::nan("")));
}

std::string numbers_text(const StudyFindings& findings, const Style& style) {
  std::size_t arm = 3, quantity = 8;
  for (const StudyNumber& number : findings.numbers) {
    arm = std::max(arm, number.arm.size());
    quantity = std::max(quantity, number.quantity.size());
  }
  std::string text = style.dim(fmt::format("{:<{}}  {:<{}}  {:>9} {:>8} {:>2}  {}\n", "arm", arm,
                                           "quantity", quantity, "mean", "sd", "n", "against"));
  for (const StudyNumber& number : findings.numbers) {
    std::string line =
        fmt::format("{:<{}}  {:<{}}  {:>9} {:>8} {:>2}  {}", number.arm, arm, number.quantity,
                    quantity, value_text(number.mean()), spread_text(number.values),
                    number.values.size(), control_text(number));
    while (line.ends_with(' ')) line.pop_back();
    text += line + "\n";
  }
  return text;
}

}  // namespace

std::string trained_study_text(const TrainedStudy& study, const Style& style) {
  const StudyInfo& info = *study.info;
  const int width = output_width();
  std::string text = style.bold(fmt::format("{} ({})", info.title, info.claim)) + "\n" +
                     wrapped(info.question, width, 0) + "\n" +
                     wrapped(fmt::format("Controls: {}.", info.controls), width, 2) + "\n\n" +
                     numbers_text(study.findings, style) + "\n";
  for (const std::string& sentence : study.findings.sentences)
    text += wrapped(fmt::format("- {}", sentence), width, 2) + "\n";
  for (const StudyOutcome& each : study.outcomes) {
    if (finished(each)) continue;
    const TrialOutcome& outcome = each.outcome;
    text += style.bad(wrapped(fmt::format("no number: {} seed {}: {}", each.arm, outcome.trial.seed,
                                          outcome.result ? outcome.result->fault : outcome.error),
                              width, 2)) +
            "\n";
  }
  return text;
}

std::string study_list_text(const StudyRegistry& studies, const Style& style) {
  std::string text;
  for (const StudyRegistry::Entry& entry : studies.entries()) {
    text += fmt::format("{}  {}\n", style.bold(fmt::format("{:<14}", entry.info->name)),
                        wrapped(fmt::format("{}: {}{}", entry.info->claim, entry.info->question,
                                            entry.info->needs_corpus ? " On text." : ""),
                                output_width() - 16, 16));
  }
  return text;
}

}  // namespace sextant::cli
