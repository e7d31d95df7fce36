// SPDX-License-Identifier: Apache-2.0
#include "run/model_page.h"

#include <algorithm>
#include <filesystem>

#include "encoding/rotary.h"
#include "model/rope_keys.h"
#include "run/rotary_page.h"

namespace sextant {
namespace {

constexpr Index kLongestShown = Index{1} << 24;
constexpr Index kUnknownLength = 131072;  // looked at where nothing says how long training was
constexpr Index kDefaultExtension = 4;

Index length_to_show(const ModelReading& reading, Index trained) {
  if (reading.length > 0) return std::min(reading.length, kLongestShown);
  if (trained == 0) return kUnknownLength;
  const Index stated = std::min(reading.model.max_positions, kLongestShown);
  return stated > trained ? stated : std::min(kDefaultExtension * trained, kLongestShown);
}

Json rotary_json(const ModelReading& reading, const GroupReading& group,
                 const RotaryOperator& present) {
  RotarySubject subject;
  subject.present = present;
  subject.base = present.theta;
  subject.trained =
      static_cast<Index>(std::clamp(group.trained, 0.0, static_cast<double>(kLongestShown)));
  subject.to = length_to_show(reading, subject.trained);
  subject.trained_inv_freq = present.inv_freq;
  if (is_scaled(group.group.rope) && subject.base >= 1.0)
    subject.trained_inv_freq =
        geometric_ladder(subject.base, 2 * static_cast<Index>(present.inv_freq.size()));
  return rotary_page(subject);
}

Json group_page(const ModelReading& reading, const GroupReading& group) {
  Json json;
  json["name"] = group.group.name;
  json["layers"] = group.group.layers;
  json["kind"] = name(group.group.kind);
  json["spec"] = group.spec.empty() ? Json() : Json(group.spec);
  json["assumptions"] = group.rotary ? Json(group.rotary->assumptions) : Json();
  json["rotary"] = group.rotary ? rotary_json(reading, group, *group.rotary) : Json();
  json["error"] = group.error.empty() ? Json() : Json(group.error);
  return json;
}

Json or_unknown(Index value) { return value > 0 ? Json(value) : Json(); }
Json or_unknown(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

Json model_page(const ModelReading& reading) {
  const Model& model = reading.model;
  // A folder may end in '/'.
  const std::filesystem::path path = std::filesystem::path(model.source).lexically_normal();
  Json json;
  json["source"] = (path.has_filename() ? path : path.parent_path()).filename().string();
  json["family"] = model.family;
  json["layers"] = or_unknown(model.layers);
  json["heads"] = or_unknown(model.heads);
  json["kv_heads"] = or_unknown(model.kv_heads);
  json["head_dim"] = or_unknown(model.head_dim);
  json["hidden"] = or_unknown(model.hidden);
  json["max_positions"] = or_unknown(model.max_positions);
  json["dtype"] = or_unknown(model.dtype);
  json["pairing"] = name(model.pairing);
  json["fingerprint"] = or_unknown(reading.fingerprint);
  json["engine"] = name(reading.engine);
  json["release"] = release(reading.engine);
  json["notes"] = model.notes;
  json["groups"] = Json::array();
  for (const GroupReading& group : reading.groups)
    json["groups"].push_back(group_page(reading, group));
  json["table"] = nullptr;
  return json;
}

}  // namespace sextant
