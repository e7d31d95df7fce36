// SPDX-License-Identifier: Apache-2.0
#include "cli/diff_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace sextant::cli {
namespace {

std::string side_name(const ModelSide& side) {
  return fmt::format("{} under {} ({})", side.model.source, name(side.engine),
                     release(side.engine));
}

std::string fact_line(const ComparedFact& fact, const Style& style) {
  if (fact.agree)
    return fmt::format(
        "  {}  {:<15} {}\n", style.good("agree "), fact.what,
        fact.first == fact.second ? fact.second : fmt::format("{} / {}", fact.first, fact.second));
  return fmt::format("  {}  {:<15} {}\n  {:<8}{:<15} {}\n", style.bad("differ"), fact.what,
                     fact.first, "", "", fact.second);
}

std::string number_text(const OperatorComparison& numbers) {
  std::string text;
  if (!numbers.differing.empty()) {
    text +=
        fmt::format("  pairs {} differ, by {:.3g} % at most (pair {}); {:.3g} rad per position\n",
                    runs_text(numbers.differing), 100.0 * numbers.largest_relative,
                    numbers.largest_pair, numbers.phase_per_position);
  }
  for (const FirstDeparture& departure : numbers.departures) {
    text += departure.position
                ? fmt::format("  |delta cos| passes {:<6} at position {} (pair {})\n",
                              shortest(departure.threshold), *departure.position, departure.pair)
                : fmt::format("  |delta cos| stays within {} for {} positions\n",
                              shortest(departure.threshold), numbers.horizon);
  }
  text += "  largest |delta logit| / |logit|:";
  for (const LogitDifference& logit : numbers.logits)
    text += fmt::format("  {:.3g} at lag {}", logit.relative, logit.lag);
  if (!numbers.same_pairing) {
    text +=
        "\n  these numbers are pair by pair; the pairings differ, so that a checkpoint of one is "
        "garbage\n  under the other until 'sextant convert pairing' has permuted it";
  }
  return text + "\n";
}

std::string assumptions_text(std::string_view side, const std::vector<std::string>& assumptions) {
  std::string text;
  for (const std::string& each : assumptions)
    text += "  " + wrapped(fmt::format("{} assumes: {}", side, each), output_width() - 2, 4) + "\n";
  return text;
}

Json side_json(const ModelSide& side, const std::string& print) {
  Json json;
  json["model"] = side.model.source;
  json["family"] = side.model.family;
  json["engine"] = name(side.engine);
  json["release"] = release(side.engine);
  json["context"] = side.model.max_positions;
  json["fingerprint"] = print;
  return json;
}

Json numbers_json(const OperatorComparison& numbers) {
  Json json;
  json["pairs"] = numbers.pairs;
  json["differing"] = numbers.differing;
  json["largest_relative"] = numbers.largest_relative;
  json["largest_pair"] = numbers.largest_pair;
  json["phase_per_position"] = numbers.phase_per_position;
  json["magnitude_ratio"] = numbers.magnitude_ratio;
  json["softmax_factor_ratio"] = numbers.softmax_factor_ratio;
  json["horizon"] = numbers.horizon;
  json["first_positions"] = Json::array();
  for (const FirstDeparture& departure : numbers.departures) {
    Json row{{"threshold", departure.threshold}, {"position", nullptr}, {"pair", nullptr}};
    if (departure.position) {
      row["position"] = *departure.position;
      row["pair"] = departure.pair;
    }
    json["first_positions"].push_back(row);
  }
  json["logits"] = Json::array();
  for (const LogitDifference& logit : numbers.logits)
    json["logits"].push_back(
        {{"lag", logit.lag}, {"relative", logit.relative}, {"pair", logit.pair}});
  return json;
}

}  // namespace

std::string runs_text(const std::vector<Index>& indices) {
  std::string text;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t end = i + 1;
    while (end < indices.size() && indices[end] == indices[end - 1] + 1) ++end;
    text += text.empty() ? "" : ", ";
    text += end - i == 1 ? std::to_string(indices[i])
                         : fmt::format("{}-{}", indices[i], indices[end - 1]);
    i = end;
  }
  return text;
}

std::string comparison_text(const ModelComparison& comparison, const ModelSide& first,
                            const ModelSide& second, const Style& style) {
  std::string text =
      fmt::format("first   {}  fingerprint {}\nsecond  {}  fingerprint {}\n", side_name(first),
                  comparison.first_fingerprint, side_name(second), comparison.second_fingerprint);
  if (comparison.length > 0) text += fmt::format("for sequences of {} tokens\n", comparison.length);
  if (first.model.max_positions != second.model.max_positions)
    text += fmt::format("contexts: {} and {} (not judged)\n", first.model.max_positions,
                        second.model.max_positions);
  for (const GroupComparison& group : comparison.groups) {
    const auto named = [](const std::string& each) { return each.empty() ? "absent" : each; };
    const std::string names = group.first == group.second
                                  ? group.first
                                  : fmt::format("{} / {}", named(group.first), named(group.second));
    text += fmt::format(
        "\n{}\n", style.bold(group.layers.empty()
                                 ? fmt::format("All layers ({})", names)
                                 : fmt::format("Layers {} ({})", runs_text(group.layers), names)));
    for (const ComparedFact& fact : group.facts)
      if (!fact.agree) text += fact_line(fact, style);
    for (const ComparedFact& fact : group.facts)
      if (fact.agree) text += fact_line(fact, style);
    if (group.rotary && !group.equal()) text += number_text(*group.rotary);
    text += assumptions_text("first", group.first_assumptions);
    text += assumptions_text("second", group.second_assumptions);
  }
  return text + fmt::format("\n{}\n", comparison.equal() ? style.good("The operators are equal.")
                                                         : style.bad("The operators differ."));
}

Json comparison_json(const ModelComparison& comparison, const ModelSide& first,
                     const ModelSide& second) {
  Json json;
  json["first"] = side_json(first, comparison.first_fingerprint);
  json["second"] = side_json(second, comparison.second_fingerprint);
  json["length"] = comparison.length > 0 ? Json(comparison.length) : Json();
  json["equal"] = comparison.equal();
  json["groups"] = Json::array();
  for (const GroupComparison& group : comparison.groups) {
    Json row;
    row["layers"] = group.layers;
    row["first"] = {{"group", group.first},
                    {"kind", name(group.first_kind)},
                    {"assumptions", group.first_assumptions}};
    row["second"] = {{"group", group.second},
                     {"kind", name(group.second_kind)},
                     {"assumptions", group.second_assumptions}};
    row["equal"] = group.equal();
    row["facts"] = Json::array();
    for (const ComparedFact& fact : group.facts)
      row["facts"].push_back({{"what", fact.what},
                              {"first", fact.first},
                              {"second", fact.second},
                              {"agree", fact.agree}});
    row["rotary"] = group.rotary ? numbers_json(*group.rotary) : Json();
    json["groups"].push_back(row);
  }
  return json;
}

}  // namespace sextant::cli
