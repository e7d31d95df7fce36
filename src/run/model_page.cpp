// SPDX-License-Identifier: Apache-2.0
#include "run/model_page.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "encoding/rotary.h"
#include "run/rotary_page.h"
#include "sextant/error.h"

namespace sextant {
namespace {

constexpr Index kLongest = Index{1} << 24;
constexpr Index kUnknownLength = 131072;  // looked at where nothing says how long training was
constexpr Index kDefaultExtension = 4;
constexpr double kDefaultBase = 10000.0;
constexpr std::array<std::string_view, 6> kScalings = {"linear", "ntk",      "dynamic",
                                                       "yarn",   "longrope", "llama3"};

Index trained_positions(const Model& model, const RopeKeys& keys) {
  const double original = keys.original.value_or(0.0);
  if (original >= 1.0) return static_cast<Index>(std::min(original, static_cast<double>(kLongest)));
  return std::clamp(model.max_positions, Index{0}, kLongest);
}

Index length_to_show(const Model& model, Index trained, Index asked) {
  if (asked > 0) return std::min(asked, kLongest);
  if (trained == 0) return kUnknownLength;
  const Index stated = std::min(model.max_positions, kLongest);
  return stated > trained ? stated : std::min(kDefaultExtension * trained, kLongest);
}

RotarySubject subject_of(const Model& model, const LayerGroup& group, Engine engine, Index asked) {
  RotarySubject subject;
  subject.base = group.rope.theta.value_or(kDefaultBase);
  subject.trained = trained_positions(model, group.rope);
  subject.to = length_to_show(model, subject.trained, asked);
  subject.present = rotary_operator(model, group, engine, subject.to);
  subject.trained_inv_freq = subject.present.inv_freq;
  if (std::ranges::find(kScalings, group.rope.type) != kScalings.end())
    subject.trained_inv_freq =
        geometric_ladder(subject.base, 2 * static_cast<Index>(subject.present.inv_freq.size()));
  return subject;
}

Json group_json(const Model& model, const LayerGroup& group, Engine engine, Index to) {
  Json json;
  json["name"] = group.name;
  json["layers"] = group.layers;
  json["kind"] = name(group.kind);
  for (const char* key : {"spec", "assumptions", "rotary", "error"}) json[key] = nullptr;
  try {
    json["spec"] = group_spec(model, group, engine);
    if (group.kind != PositionKind::kRotary) return json;
    const RotarySubject subject = subject_of(model, group, engine, to);
    json["assumptions"] = subject.present.assumptions;
    json["rotary"] = rotary_page(subject);
  } catch (const Error& error) {
    json["error"] = error.what();
  }
  return json;
}

Json or_unknown(Index value) { return value > 0 ? Json(value) : Json(); }

Json fingerprint_json(const Model& model, Engine engine) {
  try {
    return fingerprint(model, engine);
  } catch (const Error&) {
    return {};  // the group that cannot be evaluated says why
  }
}

}  // namespace

Json model_page(const Model& model, Engine engine, Index to) {
  Json json;
  json["source"] = std::filesystem::path(model.source).filename().string();
  json["family"] = model.family;
  json["layers"] = or_unknown(model.layers);
  json["heads"] = or_unknown(model.heads);
  json["kv_heads"] = or_unknown(model.kv_heads);
  json["head_dim"] = or_unknown(model.head_dim);
  json["hidden"] = or_unknown(model.hidden);
  json["max_positions"] = or_unknown(model.max_positions);
  json["dtype"] = model.dtype.empty() ? Json() : Json(model.dtype);
  json["pairing"] = name(model.pairing);
  json["fingerprint"] = fingerprint_json(model, engine);
  json["engine"] = name(engine);
  json["release"] = release(engine);
  json["notes"] = model.notes;
  json["groups"] = Json::array();
  for (const LayerGroup& group : model.groups)
    json["groups"].push_back(group_json(model, group, engine, to));
  json["table"] = nullptr;
  return json;
}

}  // namespace sextant
