// SPDX-License-Identifier: Apache-2.0
#include "run/encoding_document.h"

#include <cmath>

#include "base/text.h"

namespace sextant {
namespace {

Json limit_json(double limit) { return std::isfinite(limit) ? Json(limit) : Json(nullptr); }

bool has_range(ParamKind kind) { return kind != ParamKind::kWord && kind != ParamKind::kFile; }

Json param_json(const ParamInfo& param) {
  Json json;
  json["name"] = param.name;
  json["kind"] = name(param.kind);
  json["default"] = param.default_text.empty() ? Json(nullptr) : Json(param.default_text);
  json["min"] = has_range(param.kind) ? limit_json(param.min) : Json(nullptr);
  json["max"] = has_range(param.kind) ? limit_json(param.max) : Json(nullptr);
  json["choices"] = Json::array();
  if (!param.choices.empty()) json["choices"] = split(param.choices, '|');
  json["doc"] = param.doc;
  return json;
}

}  // namespace

std::string_view name(ParamKind kind) {
  switch (kind) {
    case ParamKind::kNumber:
      return "number";
    case ParamKind::kInteger:
      return "integer";
    case ParamKind::kWord:
      return "word";
    case ParamKind::kList:
      return "list";
    case ParamKind::kFile:
      return "file";
  }
  return "";
}

Json claims_json(const Claims& claims) {
  Json json = Json::object();
  for (const auto& [claim, value] : named(claims)) json[std::string(claim)] = name(value);
  return json;
}

Json encoding_json(const EncodingInfo& info, const Claims& claims) {
  Json json;
  json["name"] = info.name;
  json["title"] = info.title;
  json["formula"] = info.formula;
  json["reference"] = info.reference;
  json["notes"] = info.notes;
  json["sites"] = names(info.sites);
  json["params"] = Json::array();
  for (const ParamInfo& param : info.params) json["params"].push_back(param_json(param));
  json["claims"] = claims_json(claims);
  json["examples"] = std::vector<std::string_view>(info.examples.begin(), info.examples.end());
  json["needs_values"] = info.needs_values;
  return json;
}

Json catalogue_json() {
  Json all = Json::array();
  for (const std::string& each : encodings().names()) {
    const EncodingInfo& info = encodings().info(each);
    all.push_back(encoding_json(info, info.claims));
  }
  return all;
}

}  // namespace sextant
