// SPDX-License-Identifier: Apache-2.0
#include "cli/lint_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace sextant::cli {
namespace {

constexpr int kSeverityColumn = 2;
constexpr int kMessageColumn = 11;
constexpr int kNameColumn = 26;

std::string severity_text(Severity severity, std::string_view text, const Style& style) {
  if (severity == Severity::kError) return style.bad(text);
  return severity == Severity::kWarning ? style.bold(text) : style.dim(text);
}

std::string counted(std::size_t number, std::string_view thing) {
  return fmt::format("{} {}{}", number, thing, number == 1 ? "" : "s");
}

// "no errors" reads better than "0 errors" at the end of a clean run.
std::string counted_or_no(std::size_t number, std::string_view thing) {
  return number == 0 ? fmt::format("no {}s", thing) : counted(number, thing);
}

std::string lint_finding_text(const LintFinding& finding, const Style& style) {
  const std::string padded = fmt::format("{:<9}", name(finding.severity));
  std::string text = fmt::format(
      "{:{}}{}{} {}  {}\n", "", kSeverityColumn, severity_text(finding.severity, padded, style),
      style.bold(finding.rule), lint_rules().rule(finding.rule).name, style.dim(finding.where));
  const auto paragraph = [&text](const std::string& words) {
    text += fmt::format("{:{}}{}\n", "", kMessageColumn,
                        wrapped(words, output_width(), kMessageColumn));
  };
  paragraph(finding.message);
  if (!finding.change.empty()) paragraph(fmt::format("change: {}", finding.change));
  return text;
}

// Findings of one model may be in several of its files.
std::string linted_text(const LintedModel& model, NotesShown notes, const Style& style) {
  std::string text;
  std::string file;
  for (const LintFinding& finding : model.findings) {
    if (finding.severity == Severity::kNote && notes == NotesShown::kCounted) continue;
    if (finding.file != file) {
      file = finding.file;
      text += fmt::format("{}{}\n", text.empty() ? "" : "\n", style.bold(file));
    }
    text += lint_finding_text(finding, style);
  }
  return text;
}

std::string totals_text(const LintRun& run, NotesShown shown, const Style& style) {
  const std::size_t errors = count(run, Severity::kError);
  const std::size_t warnings = count(run, Severity::kWarning), notes = count(run, Severity::kNote);
  std::size_t accepted = 0, unread = 0;
  for (const LintedModel& model : run.models) {
    accepted += model.accepted;
    if (model.error) ++unread;
  }
  std::string text = fmt::format("{}, {}, {} in {}", counted_or_no(errors, "error"),
                                 counted_or_no(warnings, "warning"), counted_or_no(notes, "note"),
                                 counted(run.models.size(), "file"));
  if (accepted > 0) text += fmt::format("; {} accepted by the baseline", accepted);
  if (unread > 0) text += fmt::format("; {} could not be linted", counted(unread, "file"));
  if (notes > 0 && shown == NotesShown::kCounted) text += "; --notes shows the notes";
  const bool is_clean = errors == 0 && warnings == 0 && unread == 0;
  return is_clean ? style.good(text) : style.bold(text);
}

std::string example_text(std::string_view example) {
  std::string text;
  for (const std::string_view line : split(example, '\n')) text += fmt::format("    {}\n", line);
  return text;
}

}  // namespace

std::string lint_text(const LintRun& run, NotesShown notes, const Style& style) {
  std::string text;
  for (const LintedModel& model : run.models) {
    const std::string own = linted_text(model, notes, style);
    if (!own.empty()) text += own + "\n";
  }
  for (const AcceptedFinding& entry : run.stale)
    text += fmt::format("stale in the baseline: {} {} {}\n", entry.file, entry.rule, entry.where);
  return text + totals_text(run, notes, style) + "\n";
}

std::string rule_list_text(std::span<const LintRule> rules, const Style& style) {
  std::string text;
  constexpr int kTitleColumn = 5 + 9 + kNameColumn;
  for (const LintRule& rule : rules) {
    text +=
        fmt::format("{}  {}{:<{}}{}\n", style.bold(rule.id),
                    severity_text(rule.severity, fmt::format("{:<9}", name(rule.severity)), style),
                    rule.name, kNameColumn, wrapped(rule.title, output_width(), kTitleColumn));
  }
  return text;
}

std::string rule_page(const LintRule& rule, const Style& style) {
  std::string text =
      fmt::format("{}  {}\n{}\n\n", style.bold(fmt::format("{} {}", rule.id, rule.name)),
                  severity_text(rule.severity, name(rule.severity), style),
                  wrapped(rule.title, output_width(), 0));
  text += fmt::format("{}\n\n", wrapped(rule.background, output_width(), 0));
  text += fmt::format("{}\n{}\n{}\n{}\n", style.bold("Found"), example_text(rule.broken),
                      style.bold("Not found"), example_text(rule.fixed));
  const std::string references = fmt::format("{}", fmt::join(rule.references, ", "));
  return text + fmt::format("{}\n    {}\n", style.bold("References"),
                            wrapped(references, output_width(), 4));
}

}  // namespace sextant::cli
