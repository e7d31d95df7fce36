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

constexpr std::size_t kMostFindings = 24;  // of a page
constexpr std::size_t kMostCurves = 6;     // of a plot: as many as it has colours
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

// The label of a curve beside its plot. Names that begin alike differ at their ends.
std::string label(std::string_view name) {
  const std::size_t longest = static_cast<std::size_t>(output_width()) / 3;
  if (name.size() <= longest) return std::string(name);
  const std::size_t head = (longest - 3) / 3, tail = longest - 3 - head;
  return fmt::format("{}...{}", name.substr(0, head), name.substr(name.size() - tail));
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
  if (!finding.bound) return fmt::format(">= {}", number(finding.lower));
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
std::vector<std::size_t> shown_findings(const TheoremCheck& check, FindingsShown which) {
  std::vector<std::size_t> shown(check.findings.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  std::ranges::stable_sort(shown, {}, [&](std::size_t i) { return importance(check, i); });
  if (which == FindingsShown::kMain) shown.resize(std::min(shown.size(), kMostFindings));
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
  return fmt::format("  ... {} more findings of {}; --all shows them\n",
                     check.findings.size() - shown, check.findings.size());
}

std::string findings_text(const TheoremCheck& check, FindingsShown which, const Style& style) {
  if (check.findings.empty()) return "";
  const std::vector<std::size_t> shown = shown_findings(check, which);
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
  PlotSeries series{curve.name, {}, {}};
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
  std::vector<PlotSeries> series;
  series.reserve(figure.curves.size());
  for (const Figure::Curve& curve : figure.curves) series.push_back(series_of(curve, figure));
  std::erase_if(series, [](const PlotSeries& each) {
    return std::ranges::none_of(each.y, [](double y) { return std::isfinite(y); });
  });
  if (series.empty()) return "";
  const std::size_t drawn = series.size(), shown = std::min(drawn, kMostCurves);
  series.resize(shown);
  std::string caption = fmt::format("{} against {}", axis(figure.y_label, figure.log_y),
                                    axis(figure.x_label, figure.log_x));
  if (shown == 1 && !series[0].label.empty()) caption += fmt::format(": {}", series[0].label);
  for (PlotSeries& each : series) each.label = label(each.label);
  std::string text = "\n" + style.bold(wrapped(figure.title, output_width(), 0)) + "\n" +
                     style.dim(wrapped(caption, output_width(), 0)) + "\n" +
                     plot(series, {.width = output_width(),
                                   .height = kPlotHeight,
                                   .unicode = output_is_utf8(),
                                   .color = style.on()});
  if (shown < drawn)
    text += fmt::format("... {} more curves; --json has them all\n", drawn - shown);
  return text;
}

// A line each, titles last: they take the width that is left, and further lines where it is short.
std::string verdict_table(std::span<const CheckedTheorem> checked, int ids, const Style& style) {
  struct Line {
    std::string observed = "-", bound = "-";
  };
  std::vector<Line> lines;
  lines.reserve(checked.size());
  int verdicts = 7, observed = 8, bounds = 5;
  for (const CheckedTheorem& each : checked) {
    const Finding* const found = decisive_finding(each.check);
    Line line;
    if (found != nullptr && applies(*found))
      line = {.observed = number(found->observed), .bound = bound_text(*found)};
    verdicts = std::max(verdicts, columns(name(each.check.verdict)));
    observed = std::max(observed, columns(line.observed));
    bounds = std::max(bounds, columns(line.bound));
    lines.push_back(std::move(line));
  }
  std::string text =
      style.bold(fmt::format("{:<{}}  {:<{}}  {:>{}}  {:>{}}  CLAIM", "ID", ids, "VERDICT",
                             verdicts, "OBSERVED", observed, "BOUND", bounds)) +
      "\n";
  const int indent = ids + verdicts + observed + bounds + 4 * 2;
  const int width = std::max(output_width(), indent + kNarrowestTitle);
  for (std::size_t k = 0; k < lines.size(); ++k) {
    const ClaimVerdict verdict = checked[k].check.verdict;
    text += fmt::format("{:<{}}  {}  {:>{}}  {:>{}}  {}\n", checked[k].info->id, ids,
                        colored(verdict, fmt::format("{:<{}}", name(verdict), verdicts), style),
                        lines[k].observed, observed, lines[k].bound, bounds,
                        wrapped(checked[k].info->title, width, indent));
  }
  return text;
}

// An installed program has the notes in its report only.
std::string note_text(const TheoremInfo& info) {
  return fmt::format("{} in the claims section of a report; {} in the source tree", info.name,
                     note_path(info));
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
  int ids = 2;
  for (const CheckedTheorem& each : checked) ids = std::max(ids, columns(each.info->id));
  std::string text = verdict_table(checked, ids, style);
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

std::string theorem_page(const CheckedTheorem& checked, FindingsShown which, const Style& style) {
  const TheoremInfo& info = *checked.info;
  const TheoremCheck& check = checked.check;
  std::string text = fmt::format("{}  {}\n\n", style.bold(info.id), style.bold(info.title)) +
                     fact("Verdict", colored(check.verdict, name(check.verdict), style), style) +
                     fact("Why", check.reason, style) + fact("Source", info.source, style) +
                     fact("Claim", info.claim, style) + fact("Checked", info.statement, style) +
                     conditions_text(info, style) + fact("Note", note_text(info), style) +
                     findings_text(check, which, style);
  for (const Figure& figure : check.figures) text += figure_text(figure, style);
  return text;
}

}  // namespace sextant::cli
