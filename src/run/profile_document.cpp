// SPDX-License-Identifier: Apache-2.0
#include "run/profile_document.h"

#include <algorithm>
#include <cmath>

#include "run/json_values.h"

namespace sextant {
namespace {

constexpr Index kMostRows = 64;
constexpr Index kMostLags = 256;

Json number(double value, ProfileRows rows) {
  if (!std::isfinite(value)) return {};
  return rows == ProfileRows::kAll ? value : rounded(value);
}

// At most `most` of 0..count-1, evenly, with 0, count-1 and the two at the edge of training.
std::vector<Index> chosen(Index count, Index train, Index most, ProfileRows rows) {
  std::vector<Index> result;
  if (rows == ProfileRows::kAll || count <= most) {
    for (Index i = 0; i < count; ++i) result.push_back(i);
    return result;
  }
  const Index even = most - 2;
  for (Index i = 0; i < even; ++i) result.push_back(i * (count - 1) / (even - 1));
  for (const Index edge : {train - 1, train})
    if (edge < count) result.push_back(edge);
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

Json departures_json(const EncodingProfile& profile, ProfileRows rows) {
  Json json = Json::object();
  for (const EncodingProfile::Departure& departure : profile.departures)
    json[departure.measure] = {{"position", or_null(departure.position)},
                               {"low", number(departure.low, rows)},
                               {"high", number(departure.high, rows)}};
  return json;
}

Json weights_json(const EncodingProfile& profile, Index train, ProfileRows rows) {
  const auto lags = chosen(static_cast<Index>(profile.weights.size()), train, kMostLags, rows);
  Json values = Json::array();
  for (const Index lag : lags)
    values.push_back(number(profile.weights[static_cast<std::size_t>(lag)], rows));
  return {{"lags", lags}, {"values", std::move(values)}};
}

Json encoding_json(const EncodingProfile& profile, Index train, ProfileRows rows) {
  return {{"encoding", profile.encoding},
          {"title", profile.title},
          {"acts", profile.acts},
          {"reason", profile.reason},
          {"initial_draw", profile.initial_draw},
          {"tail", name(profile.tail)},
          {"roughness", number(profile.roughness, rows)},
          {"distinct", profile.distinct},
          {"first_departure", departures_json(profile, rows)},
          {"weights", weights_json(profile, train, rows)}};
}

void add_rows(const EncodingProfile& profile, Index train, ProfileRows rows, Json& json) {
  for (const Index t : chosen(static_cast<Index>(profile.points.size()), train, kMostRows, rows)) {
    const ProfilePoint& point = profile.points[static_cast<std::size_t>(t)];
    Json row = {{"encoding", profile.encoding}, {"position", point.position}};
    for (const ProfileMeasure& measure : profile_measures())
      row[std::string(measure.name)] = number(point.*measure.value, rows);
    json.push_back(std::move(row));
  }
}

}  // namespace

Json profiles_json(std::span<const EncodingProfile> profiles, const ProfileOptions& options,
                   ProfileRows rows) {
  Json json;
  json["train"] = options.train;
  json["to"] = options.to;
  json["dim"] = options.dim;
  json["heads"] = options.heads;
  json["encodings"] = Json::array();
  json["rows"] = Json::array();
  json["first_departure"] = Json::object();
  for (const EncodingProfile& profile : profiles) {
    json["encodings"].push_back(encoding_json(profile, options.train, rows));
    add_rows(profile, options.train, rows, json["rows"]);
    Json positions = Json::object();
    for (const EncodingProfile::Departure& departure : profile.departures)
      positions[departure.measure] = or_null(departure.position);
    json["first_departure"][profile.encoding] = std::move(positions);
  }
  return json;
}

}  // namespace sextant
