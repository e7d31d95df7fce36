// SPDX-License-Identifier: Apache-2.0
#include "cli/spectrum_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace sextant::cli {
namespace {

std::string stress_text(const SpectrumStudy& study, const Style& style) {
  const PairPlan& plan = *study.pairs;
  std::string text =
      plan.sampled()
          ? fmt::format(
                "\nStress from {} of {} pairs, drawn evenly from the tiles of {} x {} blocks of "
                "positions; +- is one standard error\n",
                study.pairs_used, plan.pairs, plan.blocks, plan.blocks)
          : fmt::format("\nStress over all {} pairs\n", plan.pairs);
  std::size_t width = 8;
  for (const StressRow& row : study.stress) width = std::max(width, row.encoding.size());
  text += style.bold(fmt::format("{:<{}}  {:<9} {:>22} {:>22}", "encoding", width, "rule", "scaled",
                                 "raw")) +
          "\n";
  const auto number = [&](double value, double error) {
    return plan.sampled() ? fmt::format("{:.6g} +- {:.2g}", value, error)
                          : fmt::format("{:.6g}", value);
  };
  for (const StressRow& row : study.stress) {
    text += fmt::format("{:<{}}  {:<9} ", row.encoding, width, row.geometry);
    text += row.stress ? fmt::format("{:>22} {:>22}\n",
                                     number(row.stress->scaled, row.stress->scaled_error),
                                     number(row.stress->raw, row.stress->raw_error))
                       : row.error + "\n";
  }
  for (const NeedsValues& each : study.needs_values)
    text += fmt::format("{:<{}}  needs values: {}\n", each.encoding, width, each.reason);
  return text;
}

}  // namespace

std::string spectrum_text(const SpectrumStudy& study, const Style& style) {
  std::string text = fmt::format("{} positions, {} different tokens, {} entries of sqrt P\n",
                                 study.positions.size(), study.tokens, study.entries);
  if (!study.excluded.empty())
    text += fmt::format("{} positions without sequences are left out\n", study.excluded.size());
  if (study.indistinguishable) {
    text += "All positions have the same law: no spectrum\n";
  } else {
    text += style.bold("     eigenvalue      share   together") + "\n";
    double held = 0.0;
    for (std::size_t k = 0; k < study.spectrum.values.size(); ++k) {
      const double value = study.spectrum.values[k], share = value / study.trace;
      held += share;
      text += fmt::format("{:>3}  {:>10.6g}  {:>8.4f}%  {:>8.4f}%\n", k + 1, value, 100.0 * share,
                          100.0 * held);
    }
    text += fmt::format("trace {:.8g}; residual {:.1e}, orthogonality {:.1e}; {}\n", study.trace,
                        study.spectrum.residual, study.spectrum.orthogonality,
                        study.spectrum.multiplicity_certified ? "multiplicity certified"
                                                              : "multiplicity not certified");
  }
  if (study.pairs) text += stress_text(study, style);
  return text;
}

}  // namespace sextant::cli
