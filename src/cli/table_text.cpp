// SPDX-License-Identifier: Apache-2.0
#include "cli/table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "base/text.h"
#include "cli/study_output.h"
#include "io/npy_grammar.h"
#include "report/plot.h"
#include "run/inspect_document.h"
#include "run/table_document.h"

namespace sextant::cli {
namespace {

constexpr int kTableIndent = 18;
constexpr int kTablePlotHeight = 8;
constexpr std::size_t kMostRuns = 12;  // of untrained rows
constexpr std::size_t kMostWavesShown = 5;

std::string line(std::string_view title, const std::string& text) {
  return fmt::format("{:<{}}{}\n", title, kTableIndent,
                     wrapped(text, output_width(), kTableIndent));
}

// "3, 512 to 1023": rows in a row as one range.
std::string row_ranges(const std::vector<UntrainedRow>& rows) {
  std::string text;
  std::size_t runs = 0;
  for (std::size_t first = 0; first < rows.size();) {
    std::size_t last = first;
    while (last + 1 < rows.size() && rows[last + 1].row == rows[last].row + 1) ++last;
    if (++runs > kMostRuns) return fmt::format("{}, ...", text);
    text += fmt::format("{}{}", text.empty() ? "" : ", ", rows[first].row);
    if (last > first) text += fmt::format(" to {}", rows[last].row);
    first = last + 1;
  }
  return text;
}

std::string_view meaning(UntrainedSign sign) {
  switch (sign) {
    case UntrainedSign::kZero:
      return "all zero, as rows of padding are";
    case UntrainedSign::kSmall:
      return "below half the median norm, more than 6 robust deviations away, as a first "
             "draw under weight decay would be";
    case UntrainedSign::kDrawn:
      return "norm and neighbours of a normal draw of deviation 0.02";
  }
  return "";
}

std::string untrained_text(const TableFacts& facts, const Style& style) {
  if (facts.untrained.empty()) return line("Untrained rows", "none");
  std::string text;
  for (const UntrainedSign sign :
       {UntrainedSign::kZero, UntrainedSign::kSmall, UntrainedSign::kDrawn}) {
    std::vector<UntrainedRow> rows;
    std::ranges::copy_if(facts.untrained, std::back_inserter(rows),
                         [sign](const UntrainedRow& each) { return each.sign == sign; });
    if (rows.empty()) continue;
    const auto [least, greatest] = std::ranges::minmax(rows, {}, &UntrainedRow::norm);
    const std::string norms =
        rows.size() == 1 ? fmt::format("norm {:.4g}", least.norm)
                         : fmt::format("norms {:.4g} to {:.4g}", least.norm, greatest.norm);
    text += line(text.empty() ? "Untrained rows" : "",
                 fmt::format("{} of {}: {}; {}: {}", rows.size(), facts.norms.size(),
                             style.bold(row_ranges(rows)), norms, meaning(sign)));
  }
  text += line("", facts.of_all_rows ? "no two rows are trained: what follows is of all rows"
                                     : "what follows is of the trained rows");
  return text;
}

std::string geometry_text(const TableGeometry& geometry) {
  std::string text =
      line("Geometry",
           fmt::format("2 dimensions hold {:.1f} % of the squared distances (stress {:.2g}), "
                       "8 hold {:.1f} % (stress {:.2g})",
                       100.0 * geometry.share2, geometry.stress2, 100.0 * geometry.share8,
                       geometry.stress8));
  text +=
      line("Distance and lag",
           fmt::format("correlation {:.3f}, of ranks {:.3f}{}", geometry.lag_pearson,
                       geometry.lag_spearman,
                       geometry.step == 1 ? "" : fmt::format("; every {}th row", geometry.step)));
  std::string waves;
  for (const Wave& wave :
       std::span(geometry.waves).first(std::min(geometry.waves.size(), kMostWavesShown))) {
    if (wave.share < 0.01) break;
    waves += fmt::format("{}{:.4g} rows ({:.1f} %)", waves.empty() ? "" : ", ", wave.wavelength,
                         100.0 * wave.share);
  }
  if (!waves.empty()) text += line("Wavelengths", waves);
  return text;
}

std::string norm_plot(const TableFacts& facts, const Style& style) {
  PlotSeries series{"", {}, facts.norms};
  series.x.reserve(facts.norms.size());
  for (std::size_t row = 0; row < facts.norms.size(); ++row)
    series.x.push_back(static_cast<double>(row));
  return plot({series}, {.title = style.dim("norm of each row"),
                         .x_label = "row",
                         .width = output_width(),
                         .height = kTablePlotHeight,
                         .unicode = output_is_utf8(),
                         .color = style.on()});
}

}  // namespace

std::string table_text(const LearnedTable& table, const TableFacts& facts, const Style& style) {
  std::string text = line("Table", fmt::format("{}, {}", npy_shape_text(table.shape), table.dtype));
  text += line("Norms", fmt::format("{:.4g} (row {}) to {:.4g} (row {}), median {:.4g}",
                                    facts.least.value, facts.least.row, facts.greatest.value,
                                    facts.greatest.row, facts.median));
  text += untrained_text(facts, style);
  if (facts.neighbour_median && facts.neighbour_least)
    text +=
        line("Neighbours",
             fmt::format("cosine of rows t and t+1: median {:.4g}, lowest {:.4g} (rows {} and {})",
                         *facts.neighbour_median, facts.neighbour_least->value,
                         facts.neighbour_least->row, facts.neighbour_least->row + 1));
  if (facts.geometry) {
    text += line("Effective rank",
                 fmt::format("{:.4g} (participation), {:.4g} (entropy); 90 % of the energy in {}, "
                             "99 % in {} of {}",
                             facts.ranks.participation, facts.ranks.entropy, facts.ranks.share90,
                             facts.ranks.share99, std::min(table.rows, table.dim)));
    text += geometry_text(*facts.geometry);
  } else {
    text += line("Effective rank", "0: all rows are equal");
  }
  if (facts.norms.size() > 1) text += fmt::format("\n{}", norm_plot(facts, style));
  text += fmt::format(
      "\nAgainst a corpus: sextant score CORPUS --tokens ... --encodings "
      "table:{},sinusoidal,alibi\n",
      path_text(table.name));
  return text;
}

int inspect_table(const std::string& path, const Globals& globals, const PageChoice& page) {
  check_page(page);
  LearnedTable table = read_learned_table(path);
  const TableFacts facts = table_facts(table);
  print(globals.json ? to_text(learned_table_document(table, facts))
                     : table_text(table, facts, Style(globals.color)));
  if (!page.file.empty()) {
    Json document = new_document("inspect");
    document["model"] = {{"source", std::filesystem::path(path).filename().string()},
                         {"table", table_json(table, facts, TableRows::kPicture)}};
    write_model_page(page, document, globals);
  }
  return 0;
}

}  // namespace sextant::cli
