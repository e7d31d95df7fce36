// SPDX-License-Identifier: Apache-2.0
#include "cli/reproduce_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sextant::cli {
namespace {

constexpr int kCellNumber = 12, kCellOurs = 26;  // columns
constexpr int kCellIndent = 2 + kCellNumber + 1 + kCellOurs + 2;

std::string digits(double value) { return fmt::format("{:.5g}", value); }

std::string measured(const Reading& reading) {
  if (!reading.ours) return "";
  std::string text = digits(*reading.ours);
  if (reading.sd) text += fmt::format(" +- {:.2g}", *reading.sd);
  if (reading.seeds) text += fmt::format(" n={}", *reading.seeds);
  return text;
}

// The kind of a verdict: what stands before a reason or a condition.
std::string_view kind(std::string_view verdict) {
  for (const std::string_view each : {"reproduced only if", "not run"})
    if (verdict.starts_with(each)) return each;
  return verdict;
}

std::string coloured(const std::string& text, std::string_view verdict, const Style& style) {
  if (verdict.starts_with("reproduced")) return style.good(text);
  if (verdict == "not reproduced") return style.bad(text);
  return style.dim(text);
}

std::string line_below(std::string_view text) {
  return wrapped(text, output_width() - kCellIndent, 0);
}

// Each line of `text` after the first columns.
std::string indented(const std::string& text) {
  const std::string blanks(static_cast<std::size_t>(kCellIndent), ' ');
  std::string result = blanks;
  for (const char c : text) {
    result += c;
    if (c == '\n') result += blanks;
  }
  return result;
}

std::string cell_text(const PublishedCell& cell, const Style& style) {
  const Reading* found = decisive(cell);
  const std::string says = verdict(cell);
  const std::string published =
      cell.published ? fmt::format("{} {}", name(cell.relation), digits(*cell.published)) : "";
  std::string text = fmt::format("  {:<{}} {:<{}}  {}\n", published, kCellNumber,
                                 found == nullptr ? "" : measured(*found), kCellOurs, cell.cell);
  text += coloured(indented(line_below(says)), says, style) + "\n";
  for (const Reading& reading : cell.readings) {
    const std::string when = reading.condition.empty() ? "as stated" : "if " + reading.condition;
    if (&reading != found && reading.ours)
      text +=
          style.dim(indented(line_below(fmt::format("{}: {}", when, measured(reading))))) + "\n";
    // Without any number the verdict is the fault.
    if (found == nullptr || reading.fault.empty()) continue;
    const std::string missing = reading.ours ? "without" : when + ": no number:";
    text += style.bad(indented(line_below(fmt::format("{} {}", missing, reading.fault)))) + "\n";
  }
  if (!cell.remark.empty()) text += style.dim(indented(line_below(cell.remark))) + "\n";
  return text;
}

}  // namespace

std::string reproduction_list_text(const ReproductionRegistry& tables, const Style& style) {
  std::string text;
  for (const ReproductionRegistry::Entry& entry : tables.entries()) {
    std::string needs;
    for (const std::string& corpus : corpora_of(entry))
      needs += fmt::format(" Needs --corpus {}=FILE.", corpus);
    if (std::ranges::any_of(entry.cells(), needs_lab)) needs += " Trained.";
    text += style.bold(entry.info.name) + "\n  " +
            wrapped(fmt::format("{}: {}.{}", entry.info.source, entry.info.method, needs),
                    output_width() - 2, 2) +
            "\n";
  }
  return text;
}

std::string reproduction_text(const Reproduction& table, const Style& style) {
  const ReproductionInfo& info = table.entry->info;
  std::string text = style.bold(fmt::format("{}: {}", info.name, info.source)) + "\n" +
                     wrapped(info.method, output_width(), 0) + "\n\n" +
                     style.bold(fmt::format("  {:<{}} {:<{}}  {}", "PUBLISHED", kCellNumber, "OURS",
                                            kCellOurs, "CELL AND VERDICT")) +
                     "\n";
  for (const PublishedCell& cell : table.cells) text += cell_text(cell, style);
  return text;
}

std::string reproduction_summary(std::span<const Reproduction> tables, const Style& style) {
  std::map<std::string, int, std::less<>> counts;
  std::string left_out;
  int all = 0;
  for (const Reproduction& table : tables) {
    for (const PublishedCell& cell : table.cells) {
      const std::string says = verdict(cell);
      ++counts[std::string(kind(says))];
      ++all;
    }
    for (const std::string& each : table.left_out)
      left_out += fmt::format("  {}: {}\n", table.entry->info.name, each);
  }
  std::string text = style.bold(fmt::format("{} published numbers and claims", all)) + "\n";
  for (const auto& [each, count] : counts) text += fmt::format("  {:>4}  {}\n", count, each);
  if (!left_out.empty()) text += "Left out by --quick:\n" + left_out;
  return text;
}

}  // namespace sextant::cli
