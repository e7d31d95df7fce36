// SPDX-License-Identifier: Apache-2.0
#include "report/score_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/bar.h"

namespace sextant {
namespace {

constexpr int kNumbers = 52;  // columns that the numbers take
constexpr int kLongestName = 44;

std::string number(const Json& value, const char* none = "-") {
  return value.is_number() ? fmt::format("{:.4f}", value.get<double>()) : none;
}

std::string short_number(const Json& value) {
  if (!value.is_number()) return "n/a";
  return fmt::format("{:.3g}", value.get<double>());
}

std::string row_line(const Json& row, int name_width, int bar_width, double largest, bool unicode) {
  std::string name = row["encoding"].get<std::string>();
  if (row["control"].get<bool>()) name = "* " + name;
  if (static_cast<int>(name.size()) > name_width)
    name = name.substr(0, static_cast<std::size_t>(name_width - 1)) + "~";
  if (row["error"].is_string())
    return fmt::format("{:<{}}  {}\n", name, name_width, row["error"].get<std::string>());
  const Json& interval = row["interval"];
  const std::string spread =
      interval.is_array()
          ? fmt::format("{:.3f} to {:.3f}", interval[0].get<double>(), interval[1].get<double>())
          : "";
  std::string line =
      fmt::format("{:<{}}  {:<8} {:>9} {:<14} {:>7} {:>7}", name, name_width,
                  row["geometry"].get<std::string>(), number(row["stress_corrected"]), spread,
                  number(row["stress_scaled"]), number(row["stress_null"]));
  if (bar_width > 3 && row["stress_corrected"].is_number() && largest > 0.0)
    line += " " + bar(row["stress_corrected"].get<double>() / largest, bar_width - 1, unicode);
  return line + "\n";
}

}  // namespace

std::string score_table(const Json& document, const TableStyle& style) {
  int name_width = 8;
  double largest = 0.0;
  for (const Json& row : document["rows"]) {
    const int size = static_cast<int>(row["encoding"].get<std::string>().size()) +
                     (row["control"].get<bool>() ? 2 : 0);
    name_width = std::max(name_width, std::min(size, kLongestName));
    if (row["stress_corrected"].is_number())
      largest = std::max(largest, row["stress_corrected"].get<double>());
  }
  name_width = std::max(8, std::min(name_width, style.width - kNumbers - 1));
  const int bar_width = style.width - kNumbers - name_width;
  std::string text = fmt::format("{:<{}}  {:<8} {:>9} {:<14} {:>7} {:>7}\n", "encoding", name_width,
                                 "rule", "corrected", "95 % interval", "scaled", "null");
  Json::number_integer_t group = 0;
  for (const Json& row : document["rows"]) {
    const auto own = row["group"].get<Json::number_integer_t>();
    if (own != group && group != 0)
      text += std::string(static_cast<std::size_t>(name_width + kNumbers - 2), '-') + "\n";
    group = own;
    text += row_line(row, name_width, bar_width, largest, style.unicode);
  }
  text +=
      "* a control. Stress is scaled: 0 is a perfect match, 1 the worst. corrected: against "
      "distances\nwithout sampling noise; scaled: against plain ones; null: against shuffled "
      "text. Between two lines\nrows cannot be told from the first of their group.\n";
  if (!document["needs_values"].empty()) {
    text += "Not scored, since their values must be given:";
    for (const Json& each : document["needs_values"])
      text += " " + each["encoding"].get<std::string>();
    text += "\n";
  }
  return text;
}

std::string geometry_text(const Json& document) {
  const Json& corpus = document["corpus"];
  const Json& target = document["target"];
  std::string text = fmt::format(
      "{} of {} sequences, {} tokens ({} different, {}), {} positions\n",
      corpus["used"].get<std::int64_t>(), corpus["sequences"].get<std::int64_t>(),
      corpus["tokens"].get<std::int64_t>(), corpus["vocabulary"].get<std::int64_t>(),
      corpus["tokenizer"].get<std::string>(), document["positions"].get<std::int64_t>());
  const auto line = [&text](std::string_view label, const std::string& value) {
    text += fmt::format("  {:<34} {}\n", label, value);
  };
  line("mean distance (min, max)",
       fmt::format("{} ({}, {})", short_number(target["mean_distance"]),
                   short_number(target["min_distance"]), short_number(target["max_distance"])));
  line("mean distance of shuffled text", short_number(target["null"]["mean_distance"]));
  if (target["corrected"].is_object())
    line("mean squared distance, corrected", short_number(target["corrected"]["mean_squared"]));
  line("signal fraction", short_number(target["signal_fraction"]));
  line("rank, and rank above the null",
       fmt::format("{}, {}", short_number(target["rank"]), short_number(target["rank_supported"])));
  line("share of the first dimension", short_number(target["first_share"]));
  line("stationary floor, ceiling", fmt::format("{}, {}", short_number(target["stationary_floor"]),
                                                short_number(target["ceiling"])));
  if (target["length_only"].is_object())
    line("correlation with lengths alone", short_number(target["length_only"]["correlation"]));
  if (!document["excluded"].empty())
    line("positions left out", std::to_string(document["excluded"].size()));
  return text;
}

}  // namespace sextant
