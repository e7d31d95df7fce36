// SPDX-License-Identifier: Apache-2.0
#include "run/bench_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/targets.h"
#include "measure/processor.h"
#include "run/json_values.h"
#include "run/provenance.h"

namespace sextant {
namespace {

Json goal_json(const SpeedGoal& goal) {
  return {{"id", goal.id},
          {"against", goal.against.empty() ? Json() : Json(goal.against)},
          {"least", goal.least}};
}

Json time_json(const RivalTime& time) {
  return {{"seconds", time.shortest}, {"median_seconds", time.median}};
}

Json judged_json(const BenchRow& row, const SpeedGoal& goal, const BenchSize& size) {
  const GoalVerdict verdict = judged(row, goal, size);
  Json json = goal_json(goal);
  json["value"] = or_null(verdict.value);
  json["met"] = verdict.met ? Json(*verdict.met) : Json();
  json["reason"] = verdict.reason.empty() ? Json() : Json(verdict.reason);
  return json;
}

}  // namespace

std::string rate_text(double per_second, std::string_view unit) {
  if (unit != "bytes") return fmt::format("{:.3g} {}/s", per_second, unit);
  if (per_second >= 1e9) return fmt::format("{:.3g} GB/s", per_second * 1e-9);
  return fmt::format("{:.3g} MB/s", per_second * 1e-6);
}

std::string goal_text(const SpeedGoal& goal, std::string_view unit) {
  if (goal.against.empty())
    return fmt::format("{}: at least {}", goal.id, rate_text(goal.least, unit));
  return fmt::format("{}: at least {:.3g} x {}", goal.id, goal.least, goal.against);
}

Json bench_case_json(const BenchCase& each) {
  Json json = {{"name", each.name}, {"measures", each.measures}};
  json["goals"] = Json::array();
  for (const SpeedGoal& goal : each.goals) json["goals"].push_back(goal_json(goal));
  return json;
}

Json bench_row_json(const BenchRow& row, const BenchSize& size) {
  Json json = {{"name", row.measured->name}, {"measures", row.measured->measures}};
  const bool timed = row.error.empty();
  json["checked"] = timed;
  json["error"] = timed ? Json() : Json(row.error);
  json["size"] = row.size;
  if (!timed) return json;
  json["amount"] = row.amount;
  json["unit"] = row.unit;
  json["repeats"] = row.repeats;
  json.update(time_json(row.ours));
  json["per_second"] = row.per_second();
  json["rivals"] = Json::array();
  for (const RivalTime& rival : row.rivals) {
    Json each = {{"name", rival.name}, {"plain", &rival == row.rivals.data()}};
    each.update(time_json(rival));
    each["speed"] = rival.shortest / row.ours.shortest;
    json["rivals"].push_back(std::move(each));
  }
  json["peers"] = Json::array();
  for (const PeerTime& peer : row.peers) {
    json["peers"].push_back({{"name", peer.library},
                             {"seconds", or_null(peer.shortest)},
                             {"median_seconds", or_null(peer.median)},
                             {"speed", or_null(speed_over(row, peer.library))},
                             {"error", peer.error.empty() ? Json() : Json(peer.error)}});
  }
  json["goals"] = Json::array();
  for (const SpeedGoal& goal : row.measured->goals)
    json["goals"].push_back(judged_json(row, goal, size));
  return json;
}

Json peer_libraries_json(std::span<const PeerLibrary> libraries) {
  Json json = Json::object();
  for (const PeerLibrary& library : libraries)
    json[library.name] = {{"version", library.version.empty() ? Json() : Json(library.version)},
                          {"reason", library.reason.empty() ? Json() : Json(library.reason)}};
  return json;
}

Json bench_provenance_json() {
  Json json = build_json();
  json["processor"] = processor_model();
  const std::vector<SimdTarget> targets = simd_targets();
  const auto used = std::ranges::find_if(
      targets, [](const SimdTarget& target) { return target.compiled && target.supported; });
  json["simd"] = used == targets.end() ? Json() : Json(used->name);
  return json;
}

}  // namespace sextant
