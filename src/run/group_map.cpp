// SPDX-License-Identifier: Apache-2.0
#include "run/group_map.h"

#include <algorithm>
#include <array>

#include "base/parallel.h"
#include "encoding/params.h"
#include "geometry/induced.h"
#include "run/group_document.h"
#include "run/json_values.h"

namespace sextant {
namespace {

constexpr Index kLags = 64;  // of a kernel

constexpr std::string_view kLift = "lift";
constexpr std::string_view kRelativeOnly = "relative only";
constexpr std::string_view kAbsolute = "absolute";
constexpr std::string_view kNoValues = "needs values";

constexpr std::array<GroupPlace, 11> kPlaces = {{
    {"none", "X = 0: positions do nothing"},
    {"decay", "e^(a lag), a < 0: logits fade with the lag"},
    {"growth", "e^(a lag), a > 0: logits blow up"},
    {"rotation", "R(w lag): norms stay"},
    {"spiral", "e^(a lag) R(w lag): damped rotation"},
    {"real Jordan", "e^(a lag) times a polynomial in the lag"},
    {"complex Jordan", "e^(a lag) R(w lag) times a polynomial in the lag"},
    {kLift, "no group as it stands; C exp(lag X) B with a few more coordinates"},
    {kRelativeOnly, "a function of the lag; no finite-dimensional group was found that makes it"},
    {kAbsolute, "the logit depends on the positions themselves"},
    {kNoValues, "nothing can be said before its values are given"},
}};

// The most particular kind of block decides: alibi_lift is a Jordan block beside many trivial ones.
std::string_view family_place(std::span<const BlockFamily> families) {
  BlockKind most = BlockKind::kNone;
  for (const BlockFamily& family : families) most = std::max(most, family.kind);
  return name(most);
}

std::string_view place(const MapTest& test) {
  switch (test.verdict) {
    case MapVerdict::kGroup:
      return test.families ? family_place(test.families->families) : kRelativeOnly;
    case MapVerdict::kRelative:
      return test.realisation ? kLift : kRelativeOnly;
    case MapVerdict::kNotRelative:
    case MapVerdict::kContentDependent:
      break;
  }
  return kAbsolute;
}

// b where a bias is all there is, else the mean logit of a random unit vector.
Vector lag_kernel(const Effects& effects, const Extent& extent, bool bias_alone) {
  if (effects.input || effects.key_offset) return {};
  const Index lags = std::min(kLags, extent.positions);
  return kernel_by_lag(effects, extent, bias_alone ? Rule::kLine : Rule::kKernel, lags);
}

Json row_json(const GroupRow& row) {
  Json json;
  json["encoding"] = row.encoding;
  json["title"] = row.title;
  json["place"] = row.place;
  json["missing"] = row.missing.empty() ? Json() : Json(row.missing);
  if (!row.missing.empty()) return json;
  json["initial_draw"] = row.initial_draw;
  add_maps(json, row.test);
  json["kernel_of"] = row.bias_alone ? "bias" : "trace";
  json["kernel"] = rounded(row.kernel);
  json["hankel"] = row.certificate ? certificate_json(*row.certificate) : Json();
  return json;
}

struct ContentScheme {
  std::string_view name, reason;
};
constexpr ContentScheme kContentSchemes[] = {
    {"cope",
     "CoPE counts gated tokens between key and query (Golovneva et al., 2024, arXiv:2405.18719): "
     "its positions are functions of the content"},
    {"fox",
     "the Forgetting Transformer decays by gates of the tokens between key and query (Lin et al., "
     "2025, arXiv:2503.02130)"},
    {"path",
     "PaTH multiplies Householder maps that the tokens between key and query choose (Yang et al., "
     "2025, arXiv:2505.16381)"},
};

// An encoding of the catalogue with its defaults, or one of its examples.
struct Entry {
  std::string name, spec;
  bool usual() const { return spec == name; }
};

GroupRow entry_row(const Entry& entry, const ClassifyOptions& options) {
  const EncodingInfo& info = encodings().info(entry.name);
  if (lacks_file(info, EncodingSpec::parse(entry.spec).terms.front())) {
    GroupRow row;
    row.encoding = entry.spec;
    row.title = info.title;
    row.place = kNoValues;
    row.missing = needed_file(info);
    return row;
  }
  const std::unique_ptr<Encoding> encoding = encodings().make(entry.spec);
  return group_row(*encoding, encoding->fitted(kGroupMapExtent), options);
}

}  // namespace

std::string content_dependent(std::string_view name) {
  for (const ContentScheme& scheme : kContentSchemes)
    if (scheme.name == name) return std::string(scheme.reason);
  return "";
}

std::span<const GroupPlace> group_places() { return kPlaces; }

GroupRow group_row(const Encoding& encoding, const Extent& extent, const ClassifyOptions& options) {
  GroupRow row;
  row.encoding = encoding.spec();
  row.title = encoding.info().title;
  row.test = test_encoding(encoding, extent, options);
  row.place = place(row.test);
  row.initial_draw = is_initial_draw(encoding);
  const Effects effects = encoding.effects(extent);
  row.bias_alone = effects.logit && !effects.input && !effects.query_key && !effects.key_offset;
  const bool relative =
      row.test.verdict == MapVerdict::kGroup || row.test.verdict == MapVerdict::kRelative;
  if (relative) row.kernel = lag_kernel(effects, extent, row.bias_alone);
  if (!row.kernel.empty()) row.certificate = certify_kernel(row.kernel, {}, options);
  return row;
}

std::vector<GroupRow> group_map(const ClassifyOptions& options, Index threads) {
  std::vector<Entry> entries;
  for (const std::string& name : encodings().names()) {
    entries.push_back({name, name});
    for (const std::string_view example : encodings().info(name).examples)
      entries.push_back({name, std::string(example)});
  }
  std::vector<GroupRow> rows(entries.size());
  parallel_for(static_cast<Index>(entries.size()), threads, [&](Index first, Index last) {
    for (Index k = first; k < last; ++k) {
      const auto at = static_cast<std::size_t>(k);
      rows[at] = entry_row(entries[at], options);
    }
  });
  std::vector<GroupRow> kept;
  std::string_view usual;  // place of the encoding with its defaults
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (entries[k].usual()) usual = rows[k].place;
    if (entries[k].usual() || rows[k].place != usual) kept.push_back(rows[k]);
  }
  return kept;
}

Json group_map_json(std::span<const GroupRow> rows) {
  Json json;
  json["dim"] = kGroupMapExtent.dim;
  json["places"] = Json::array();
  for (const GroupPlace& place : group_places())
    json["places"].push_back({{"name", place.name}, {"meaning", place.meaning}});
  json["rows"] = Json::array();
  for (const GroupRow& row : rows) json["rows"].push_back(row_json(row));
  return json;
}

}  // namespace sextant
