// SPDX-License-Identifier: Apache-2.0
#include "run/model_document.h"

#include <algorithm>
#include <numbers>

#include "sextant/error.h"

namespace sextant {
namespace {

GroupReading group_reading(const Model& model, const LayerGroup& group, Engine engine,
                           Index length) {
  GroupReading reading{.group = group};
  try {
    if (group.kind != PositionKind::kRotary) {
      reading.spec = group_spec(model, group, engine);
      return reading;
    }
    reading.rotary = rotary_operator(model, group, engine, length);
  } catch (const Error& error) {
    reading.error = error.what();
    return reading;
  }
  reading.spec = reading.rotary->spec;
  reading.trained = group.rope.original.value_or(static_cast<double>(model.max_positions));
  for (const DoubleDouble& frequency : reading.rotary->inv_freq) {
    if (frequency.high == 0.0) continue;
    const double wavelength = 2.0 * std::numbers::pi / frequency.high;
    reading.longest_wavelength = std::max(reading.longest_wavelength, wavelength);
    if (reading.trained > 0.0 && wavelength > reading.trained) ++reading.incomplete;
  }
  return reading;
}

Json frequencies_json(const std::optional<RotaryOperator>& rotary) {
  Json list = Json::array();
  if (!rotary) return list;
  for (const DoubleDouble& frequency : rotary->inv_freq) list.push_back(frequency.high);
  return list;
}

void add_rotary(Json& json, const GroupReading& reading) {
  const std::optional<RotaryOperator>& rotary = reading.rotary;
  json["inv_freq"] = frequencies_json(rotary);
  json["magnitude"] = rotary ? Json(rotary->magnitude.high) : Json();
  json["softmax_factor"] = rotary ? Json(rotary->softmax_factor.high) : Json();
  json["pairing"] = rotary ? Json(name(rotary->pairing)) : Json();
}

Json group_json(const GroupReading& reading) {
  Json json{{"name", reading.group.name},
            {"layers", reading.group.layers},
            {"kind", name(reading.group.kind)},
            {"encoding", reading.error.empty() ? Json(reading.spec) : Json()}};
  if (!reading.error.empty()) json["error"] = reading.error;
  if (!reading.rotary) return json;
  add_rotary(json, reading);
  json["head_dim"] = reading.rotary->head_dim;
  json["rotary_dim"] = reading.rotary->rotary_dim;
  json["longest_wavelength"] = reading.longest_wavelength;
  json["trained_length"] = reading.trained;
  json["pairs_without_a_turn"] = reading.incomplete;
  json["assumptions"] = reading.rotary->assumptions;
  return json;
}

}  // namespace

ModelReading read_positions(const Model& model, Engine engine, Index length) {
  ModelReading reading{.model = model, .engine = engine, .length = length};
  reading.groups.reserve(model.groups.size());
  for (const LayerGroup& group : model.groups)
    reading.groups.push_back(group_reading(model, group, engine, length));
  const bool sound = std::all_of(reading.groups.begin(), reading.groups.end(),
                                 [](const GroupReading& group) { return group.error.empty(); });
  if (sound) reading.fingerprint = fingerprint(model, engine);
  return reading;
}

void add_model(Json& document, const ModelReading& reading) {
  const Model& model = reading.model;
  const auto turning = std::find_if(reading.groups.begin(), reading.groups.end(),
                                    [](const GroupReading& group) { return group.rotary; });
  const GroupReading& first = turning == reading.groups.end() ? reading.groups.front() : *turning;
  document["family"] = model.family;
  document["format"] = model.gguf ? "gguf" : "config";
  document["encoding"] = first.error.empty() ? Json(first.spec) : Json();
  add_rotary(document, first);
  document["fingerprint"] = reading.fingerprint.empty() ? Json() : Json(reading.fingerprint);
  document["engine"] = name(reading.engine);
  document["release"] = release(reading.engine);
  document["layers"] = model.layers;
  document["hidden"] = model.hidden;
  document["heads"] = model.heads;
  document["kv_heads"] = model.kv_heads;
  document["head_dim"] = model.head_dim;
  document["max_positions"] = model.max_positions;
  document["latent_attention"] = model.latent_attention;
  document["dtype"] = model.dtype;
  document["table_rows"] = model.table_rows;
  document["first_row"] = model.first_row;
  document["groups"] = Json::array();
  for (const GroupReading& group : reading.groups) document["groups"].push_back(group_json(group));
  document["keys"] = Json::array();
  for (const KeyUse& use : model.keys) {
    Json key{{"key", use.pointer}, {"consumed", use.consumed}};
    if (!use.consumed) key["reason"] = use.reason;
    document["keys"].push_back(key);
  }
  document["notes"] = model.notes;
}

}  // namespace sextant
