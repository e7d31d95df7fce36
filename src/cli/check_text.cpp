// SPDX-License-Identifier: Apache-2.0
#include "cli/check_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "report/plot.h"

namespace sextant::cli {
namespace {

constexpr int kNumber = 9;                 // columns of "-1.23e-05"
constexpr std::size_t kMostFindings = 24;  // of a page
constexpr std::size_t kMostCurves = 6;     // of a plot: as many as it has colours
constexpr std::size_t kLongestLabel = 24;  // of a curve
constexpr int kWidestPart = 36;
constexpr int kNarrowestTitle = 12;
constexpr int kPlotHeight = 10;
constexpr int kFact = 12;  // columns before a fact

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.3g}", value) : "-";
}
std::string number(const std::optional<double>& value) { return value ? number(*value) : "-"; }

std::string colored(ClaimVerdict verdict, std::string_view text, const Style& style) {
  switch (verdict) {
    case ClaimVerdict::kHolds:
    case ClaimVerdict::kHoldsUnderConditions:
      return style.good(text);
    case ClaimVerdict::kViolated:
      return style.bad(text);
    case ClaimVerdict::kVacuous:
      return style.bold(text);
    case ClaimVerdict::kNotTestable:
      break;
  }
  return style.dim(text);
}

std::string cut(std::string_view text, std::size_t width) {
  if (text.size() <= width) return std::string(text);
  return std::string(text.substr(0, width - 3)) + "...";
}

// Lines after the first stand `hanging` columns to the right of it.
std::string fact(std::string_view title, std::string_view text, const Style& style,
                 int hanging = 0) {
  return fmt::format("{}{:{}}{}\n", style.bold(title), "", kFact - columns(title),
                     wrapped(text, output_width(), kFact + hanging));
}

std::string conditions_text(const TheoremInfo& info, const Style& style) {
  std::string text;
  for (const std::string_view condition : info.conditions)
    text += fact(text.empty() ? "Conditions" : "", fmt::format("- {}", condition), style, 2);
  return text;
}

std::string observed_text(const Finding& finding) {
  if (!applies(finding)) return "-";
  if (!finding.interval) return number(finding.observed);
  return fmt::format("{} [{}, {}]", number(finding.observed), number((*finding.interval)[0]),
                     number((*finding.interval)[1]));
}

std::string bound_text(const Finding& finding) {
  if (!applies(finding)) return "-";
  if (!finding.lower) return number(finding.bound);
  return fmt::format("{} to {}", number(finding.lower), number(finding.bound));
}

// What a page leaves out first comes last: the finding that decided, counterexamples, the rest, and
// those that have no verdict.
int importance(const TheoremCheck& check, std::size_t index) {
  if (index == check.decisive) return 0;
  const ClaimVerdict verdict = check.findings[index].verdict;
  return verdict == ClaimVerdict::kViolated ? 1 : verdict == ClaimVerdict::kNotTestable ? 3 : 2;
}

// Indices of the findings to show, those of one quantity together.
std::vector<std::size_t> shown_findings(const TheoremCheck& check) {
  std::vector<std::size_t> shown(check.findings.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  std::ranges::stable_sort(shown, {}, [&](std::size_t i) { return importance(check, i); });
  shown.resize(std::min(shown.size(), kMostFindings));
  const auto first_of_quantity = [&](std::size_t i) {
    return std::ranges::find(check.findings, check.findings[i].quantity, &Finding::quantity) -
           check.findings.begin();
  };
  std::ranges::sort(shown, {}, [&](std::size_t i) { return std::pair(first_of_quantity(i), i); });
  return shown;
}

struct Widths {
  int part = 4, observed = 8, bound = 5;
};

std::string finding_text(const Finding& finding, bool decided, const Widths& widths,
                         const Style& style) {
  constexpr int kIndent = 6;
  std::string text = decided ? "* " : "  ";
  const bool fits = columns(finding.part) <= widths.part;
  text +=
      fits ? fmt::format("{:<{}}", finding.part, widths.part)
           : wrapped(finding.part, output_width(), 2) + fmt::format("\n  {:<{}}", "", widths.part);
  text += fmt::format("  {:>{}}  {:>{}}  {}\n", observed_text(finding), widths.observed,
                      bound_text(finding), widths.bound,
                      colored(finding.verdict, name(finding.verdict), style));
  if (!finding.remark.empty())
    text += fmt::format("{:{}}{}\n", "", kIndent,
                        style.dim(wrapped(finding.remark, output_width(), kIndent)));
  return text;
}

std::string left_out_text(const TheoremCheck& check, std::size_t shown) {
  if (shown == check.findings.size()) return "";
  return fmt::format("  ... {} more findings of {}; --json has them all\n",
                     check.findings.size() - shown, check.findings.size());
}

std::string findings_text(const TheoremCheck& check, const Style& style) {
  if (check.findings.empty()) return "";
  const std::vector<std::size_t> shown = shown_findings(check);
  Widths widths;
  for (const std::size_t i : shown) {
    const Finding& finding = check.findings[i];
    if (const int part = columns(finding.part); part <= kWidestPart)
      widths.part = std::max(widths.part, part);
    widths.observed = std::max(widths.observed, columns(observed_text(finding)));
    widths.bound = std::max(widths.bound, columns(bound_text(finding)));
  }
  std::string text =
      "\n" +
      style.bold(fmt::format("  {:<{}}  {:>{}}  {:>{}}  {}", "PART", widths.part, "OBSERVED",
                             widths.observed, "BOUND", widths.bound, "VERDICT")) +
      "\n";
  std::string_view quantity;
  for (const std::size_t i : shown) {
    const Finding& finding = check.findings[i];
    if (finding.quantity != quantity)
      text += style.bold(wrapped(finding.quantity, output_width(), 0)) + "\n";
    quantity = finding.quantity;
    text += finding_text(finding, i == check.decisive, widths, style);
  }
  return text + left_out_text(check, shown.size()) + "  * decided the verdict\n";
}

double on_axis(double value, bool logarithmic) {
  if (!logarithmic) return value;
  return value > 0.0 ? std::log10(value) : std::numeric_limits<double>::quiet_NaN();
}

PlotSeries series_of(const Figure::Curve& curve, const Figure& figure) {
  PlotSeries series{cut(curve.name, kLongestLabel), {}, {}};
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    const double x = on_axis(curve.x[i], figure.log_x);
    if (!std::isfinite(x)) continue;
    series.x.push_back(x);
    series.y.push_back(on_axis(curve.y[i], figure.log_y));
  }
  return series;
}

std::string figure_text(const Figure& figure, const Style& style) {
  const auto axis = [](const std::string& label, bool logarithmic) {
    return logarithmic ? fmt::format("log10 of {}", label) : label;
  };
  const std::size_t shown = std::min(figure.curves.size(), kMostCurves);
  std::vector<PlotSeries> series;
  series.reserve(shown);
  for (std::size_t k = 0; k < shown; ++k) series.push_back(series_of(figure.curves[k], figure));
  std::string caption = fmt::format("{} against {}", axis(figure.y_label, figure.log_y),
                                    axis(figure.x_label, figure.log_x));
  if (shown == 1 && !figure.curves[0].name.empty())
    caption += fmt::format(": {}", figure.curves[0].name);
  std::string text = "\n" + style.bold(wrapped(figure.title, output_width(), 0)) + "\n" +
                     style.dim(wrapped(caption, output_width(), 0)) + "\n" +
                     plot(series, {.width = output_width(),
                                   .height = kPlotHeight,
                                   .unicode = output_is_utf8(),
                                   .color = style.on()});
  if (shown < figure.curves.size())
    text += fmt::format("... {} more curves; --json has them all\n", figure.curves.size() - shown);
  return text;
}

}  // namespace

std::string theorem_list_text(std::span<const TheoremRegistry::Entry> entries, const Style& style) {
  int ids = 2, names = 4;
  for (const TheoremRegistry::Entry& entry : entries) {
    ids = std::max(ids, columns(entry.info->id));
    names = std::max(names, columns(entry.info->name));
  }
  std::string text =
      style.bold(fmt::format("{:<{}}  {:<{}}  TITLE, SOURCE", "ID", ids, "NAME", names)) + "\n";
  const int indent = ids + names + 4;
  for (const TheoremRegistry::Entry& entry : entries) {
    const TheoremInfo& info = *entry.info;
    text += fmt::format("{:<{}}  {:<{}}  {}\n{:{}}{}\n", info.id, ids, info.name, names,
                        wrapped(info.title, output_width(), indent), "", indent,
                        style.dim(wrapped(info.source, output_width(), indent)));
  }
  return text;
}

std::string summary_text(std::span<const CheckedTheorem> checked, const Style& style) {
  int ids = 2, verdicts = 7;
  for (const CheckedTheorem& each : checked) {
    ids = std::max(ids, columns(each.info->id));
    verdicts = std::max(verdicts, columns(name(each.check.verdict)));
  }
  const int titles =
      std::max(kNarrowestTitle, output_width() - ids - verdicts - 2 * kNumber - 4 * 2);
  std::string text =
      style.bold(fmt::format("{:<{}}  {:<{}}  {:<{}}  {:>{}}  {:>{}}", "ID", ids, "CLAIM", titles,
                             "VERDICT", verdicts, "OBSERVED", kNumber, "BOUND", kNumber)) +
      "\n";
  for (const CheckedTheorem& each : checked) {
    const Finding* const found = decisive_finding(each.check);
    const bool numbers = found != nullptr && applies(*found);
    const std::string verdict = fmt::format("{:<{}}", name(each.check.verdict), verdicts);
    text += fmt::format("{:<{}}  {:<{}}  {}  {:>{}}  {:>{}}\n", each.info->id, ids,
                        cut(each.info->title, static_cast<std::size_t>(titles)), titles,
                        colored(each.check.verdict, verdict, style),
                        numbers ? number(found->observed) : "-", kNumber,
                        numbers ? number(found->bound) : "-", kNumber);
  }
  const int indent = ids + 2;
  for (const CheckedTheorem& each : checked) {
    text += fmt::format("\n{:<{}}  {}\n", each.info->id, ids,
                        style.bold(wrapped(each.info->title, output_width(), indent)));
    if (const Finding* const found = decisive_finding(each.check); found != nullptr)
      text += fmt::format(
          "{:{}}{}\n", "", indent,
          style.dim(wrapped(fmt::format("observed: {} ({})", found->quantity, found->part),
                            output_width(), indent)));
    text +=
        fmt::format("{:{}}{}\n", "", indent, wrapped(each.check.reason, output_width(), indent));
  }
  return text + "\n'sextant check ID' has the conditions, all findings and the plots of one.\n";
}

std::string theorem_page(const CheckedTheorem& checked, const Style& style) {
  const TheoremInfo& info = *checked.info;
  const TheoremCheck& check = checked.check;
  std::string text = fmt::format("{}  {}\n\n", style.bold(info.id), style.bold(info.title)) +
                     fact("Verdict", colored(check.verdict, name(check.verdict), style), style) +
                     fact("Why", check.reason, style) + fact("Source", info.source, style) +
                     fact("Claim", info.claim, style) + fact("Checked", info.statement, style) +
                     conditions_text(info, style) + fact("Note", note_path(info), style) +
                     findings_text(check, style);
  for (const Figure& figure : check.figures) text += figure_text(figure, style);
  return text;
}

}  // namespace sextant::cli
