// SPDX-License-Identifier: Apache-2.0
#include "run/table_document.h"

#include <cmath>

#include "run/json_values.h"

namespace sextant {
namespace {

constexpr Index kMostPoints = 1024;

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json all_of(const Vector& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(finite_or_null(value));
  return json;
}

// Means of the finite values between `starts`, null where there is none.
Json means_of(const Vector& values, const std::vector<Index>& starts) {
  Json json = Json::array();
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    double sum = 0.0, count = 0.0;
    for (Index i = starts[k]; i < starts[k + 1]; ++i) {
      const double value = values[static_cast<std::size_t>(i)];
      if (!std::isfinite(value)) continue;
      sum += value;
      count += 1.0;
    }
    json.push_back(count > 0.0 ? Json(rounded(sum / count)) : Json());
  }
  return json;
}

// The values by row, or {"starts": [...], "values": [...]} for a picture.
Json series(const Vector& values, TableRows rows) {
  if (rows == TableRows::kAll) return all_of(values);
  if (values.empty()) return {{"starts", Json::array()}, {"values", Json::array()}};
  std::vector<Index> starts = bin_starts(static_cast<Index>(values.size()), kMostPoints);
  Json means = means_of(values, starts);
  starts.pop_back();
  return {{"starts", starts}, {"values", std::move(means)}};
}

Json extreme(const Extreme& at) { return {{"row", at.row}, {"value", at.value}}; }

Json untrained_json(const std::vector<UntrainedRow>& untrained) {
  Json json = Json::array();
  for (const UntrainedRow& each : untrained)
    json.push_back({{"row", each.row}, {"norm", each.norm}, {"sign", name(each.sign)}});
  return json;
}

Json geometry_json(const TableGeometry& geometry, TableRows rows) {
  Json waves = Json::array();
  for (const Wave& wave : geometry.waves)
    waves.push_back(
        {{"cycles", wave.cycles}, {"wavelength", wave.wavelength}, {"share", wave.share}});
  return {{"rows", geometry.rows},
          {"step", geometry.step},
          {"share2", geometry.share2},
          {"share8", geometry.share8},
          {"stress2", geometry.stress2},
          {"stress8", geometry.stress8},
          {"lag_pearson", finite_or_null(geometry.lag_pearson)},
          {"lag_spearman", finite_or_null(geometry.lag_spearman)},
          {"distance_by_lag", series(geometry.distance_by_lag, rows)},
          {"waves", std::move(waves)}};
}

}  // namespace

Json table_json(const LearnedTable& table, const TableFacts& facts, TableRows rows) {
  Json json;
  json["shape"] = table.shape;
  json["dtype"] = table.dtype;
  json["rows"] = table.rows;
  json["dim"] = table.dim;
  json["norm"] = {{"least", extreme(facts.least)},
                  {"median", facts.median},
                  {"greatest", extreme(facts.greatest)}};
  json["untrained"] = untrained_json(facts.untrained);
  json["of_all_rows"] = facts.of_all_rows;
  json["neighbours"] = {
      {"median", or_null(facts.neighbour_median)},
      {"least", facts.neighbour_least ? extreme(*facts.neighbour_least) : Json()}};
  json["ranks"] = {{"numerical", facts.ranks.numerical},
                   {"participation", facts.ranks.participation},
                   {"entropy", facts.ranks.entropy},
                   {"share90", facts.ranks.share90},
                   {"share99", facts.ranks.share99}};
  json["geometry"] = facts.geometry ? geometry_json(*facts.geometry, rows) : Json();
  json["norms"] = series(facts.norms, rows);
  json["neighbour_cosines"] = series(facts.neighbour_cosines, rows);
  json["spectrum"] = series(facts.spectrum, rows);
  return json;
}

}  // namespace sextant
