// SPDX-License-Identifier: Apache-2.0
#include "cli/classify_text.h"

#include <fmt/format.h>

#include <cmath>

namespace sextant::cli {
namespace {

constexpr std::size_t kMostFamilies = 24;  // lines of a table of families
constexpr int kCurveHeight = 10;

std::string curve_number(double value) { return fmt::format("{:.4g}", value); }

std::string fact(std::string_view title, const std::string& text) {
  constexpr int kIndent = 18;
  return fmt::format("{:<{}}{}\n", title, kIndent, wrapped(text, output_width(), kIndent));
}

std::string families_table(std::span<const BlockFamily> families, const Style& style) {
  std::string text = style.bold(fmt::format("  {:<16} {:>12} {:>12} {:>6} {:>7}", "KIND", "DECAY",
                                            "FREQUENCY", "ORDER", "BLOCKS")) +
                     "\n";
  const std::size_t shown = std::min(families.size(), kMostFamilies);
  for (const BlockFamily& family : families.first(shown))
    text += fmt::format("  {:<16} {:>12} {:>12} {:>6} {:>7}\n", name(family.kind),
                        curve_number(family.decay), curve_number(family.frequency), family.size,
                        family.count);
  if (shown < families.size())
    text += fmt::format("  ... {} more kinds of blocks; --json has them all\n",
                        families.size() - shown);
  return text;
}

// "f16 at 11.1, f32 at 88.7"; empty where it never happens.
std::string horizon_text(const Horizon& horizon) {
  std::string text;
  const auto add = [&text](std::string_view format, double lag) {
    if (!std::isfinite(lag)) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", format, curve_number(lag));
  };
  add("f16", horizon.f16);
  add("bf16", horizon.bf16);
  add("f32", horizon.f32);
  add("f64", horizon.f64);
  return text;
}

// The first lag, one in the middle and the last; JSON has all.
std::string conditioning_text(const std::vector<GeneratorClass::At>& list) {
  std::string text;
  const std::size_t step = std::max<std::size_t>(1, list.size() / 2);
  for (std::size_t i = 0; i < list.size(); i += step)
    text += fmt::format("{}{} at lag {}", text.empty() ? "" : ", ", curve_number(list[i].condition),
                        curve_number(list[i].lag));
  return text;
}

std::string ranks_line(const std::vector<KernelCertificate::Rank>& ranks) {
  std::string text;
  for (const KernelCertificate::Rank& at : ranks)
    text += fmt::format("{}{} at {:.0e} (gap {:.2g})", text.empty() ? "" : ", ", at.rank,
                        at.tolerance, at.gap);
  return text;
}

}  // namespace

std::string generator_text(const GeneratorClass& generator, const Style& style) {
  std::string text = families_table(generator.families, style) + "\n";
  text += fact("exp(lag X)", generator.closed_form);
  text += fact("As lags grow", std::string(name(generator.stability)));
  text += fact("Keys ahead",
               fmt::format("{}{}", name(generator.stability_back),
                           generator.needs_causal_mask ? ": a causal mask is needed" : ""));
  text += fact("Norms", generator.norm_preserving ? "preserved" : "change");
  if (const std::string lags = horizon_text(generator.overflow); !lags.empty())
    text += fact("Overflows at lag", lags);
  if (const std::string at = horizon_text(generator.split_overflow); !at.empty())
    text += fact("Split factors", "overflow at position " + at + "; lags or chunks do not");
  if (const std::string lags = horizon_text(generator.vanishing); !lags.empty())
    text += fact("Vanishes at lag", lags);
  if (const std::string list = conditioning_text(generator.conditioning); !list.empty())
    text += fact("Condition", list);
  text += fact("Backward error",
               fmt::format("{:.2g} of |X| = {}, at noise {:.2g}", generator.backward_error,
                           curve_number(generator.norm), generator.noise));
  if (!generator.ambiguous) return text;
  text += style.bad("Ambiguous") + ": other noise gives other blocks\n";
  for (const GeneratorClass::Other& other : generator.others)
    text += fact(fmt::format("  at {:.0e}", other.noise), describe(other.families));
  return text;
}

std::string maps_text(const MapTest& test, const Style& style) {
  std::string text = fact("Verdict", style.bold(name(test.verdict)));
  text += fact("Why", test.reason);
  if (test.verdict != MapVerdict::kContentDependent)
    text += fact("Function of lag", fmt::format("residual {:.2g}", test.relative_residual));
  if (test.worst && test.verdict == MapVerdict::kNotRelative)
    text += fact("Worst pair",
                 fmt::format("s = {}, t = {}: residual {:.2g}", curve_number(test.worst->s),
                             curve_number(test.worst->t), test.worst->residual));
  if (test.group_residual)
    text += fact("Group law", fmt::format("residual {:.2g}", *test.group_residual));
  if (test.recovery_residual)
    text += fact("Recovered X", fmt::format("residual {:.2g}", *test.recovery_residual));
  if (test.integer_time_only)
    text += fact("Integer time", "a negative eigenvalue, (-1)^t: no real logarithm");
  for (const std::string& warning : test.warnings) text += fact("Note", warning);
  if (test.realisation) {
    text +=
        fact("C exp(lag X) B", fmt::format("order {}, residual {:.2g}: {}",
                                           test.realisation->x.rows(), test.realisation->residual,
                                           describe(test.realisation->generator.families)));
  }
  if (test.families) text += "\n" + generator_text(*test.families, style);
  return text;
}

std::string ranks_text(const KernelCertificate& certificate) {
  return fact("Hankel rank", fmt::format("of trace A(lag) / d at {} lags: {}", certificate.samples,
                                         ranks_line(certificate.hankel)));
}

std::string certificate_text(const KernelCertificate& certificate, const Style& style) {
  std::string text =
      fact("Kernel", style.bold(certificate.finite ? "finite-dimensional group"
                                                   : "not a finite-dimensional group"));
  text += fact("Why", certificate.reason);
  text += fact("Hankel rank", ranks_line(certificate.hankel));
  if (!certificate.toeplitz.empty())
    text += fact("Toeplitz rank", ranks_line(certificate.toeplitz));
  if (certificate.finite)
    text += fmt::format("\n{}", families_table(certificate.exponents, style)) +
            fact("Residual", fmt::format("{:.2g}", certificate.residual));
  return text;
}

std::string group_map_text(std::span<const GroupRow> rows, const Style& style) {
  std::string text;
  for (const GroupPlace& place : group_places()) {
    std::string lines;
    for (const GroupRow& row : rows) {
      if (row.place != place.name) continue;
      std::string details = row.missing;
      if (row.initial_draw) details = "its values are learned, this is an initial draw";
      if (row.test.families) {
        const std::string lags = horizon_text(row.test.families->overflow);
        details = fmt::format("{}{}", name(row.test.families->stability),
                              lags.empty() ? "" : "; overflows at lag " + lags);
        if (const std::string gone = horizon_text(row.test.families->vanishing); !gone.empty())
          details += "; vanishes at lag " + gone;
      } else if (row.missing.empty()) {
        details += (details.empty() ? "" : "; ") + row.test.reason;
      }
      const std::string_view gap = row.encoding.size() > 12 ? "\n              " : "";
      lines +=
          fmt::format("  {:<12}{} {}\n", row.encoding, gap, wrapped(details, output_width(), 15));
    }
    if (!lines.empty())
      text += fmt::format("{}  {}\n{}\n", style.bold(place.name), style.dim(place.meaning), lines);
  }
  return text;
}

PlotSeries lag_series(const std::string& label, std::span<const double> values) {
  PlotSeries series{label, {}, {values.begin(), values.end()}};
  for (std::size_t lag = 0; lag < values.size(); ++lag)
    series.x.push_back(static_cast<double>(lag));
  return series;
}

std::string lag_plot(const std::vector<PlotSeries>& series, std::string_view title,
                     const Style& style, std::string_view x_label) {
  return plot(series, {.title = style.dim(title),
                       .x_label = std::string(x_label),
                       .width = output_width(),
                       .height = kCurveHeight,
                       .unicode = output_is_utf8(),
                       .color = style.on()});
}

}  // namespace sextant::cli
