// SPDX-License-Identifier: Apache-2.0
// The catalogue as a map of families: where each encoding lives, and what is outside.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/json.h"
#include "sextant/classify.h"
#include "sextant/registry.h"

namespace sextant {

struct GroupRow {
  std::string encoding;  // canonical spec
  std::string title;
  std::string place;          // one of group_places()
  std::string missing;        // what it needs before anything can be said; then `test` is empty
  bool initial_draw = false;  // its values are learned; the row speaks of a first draw
  bool bias_alone = false;    // the kernel is all that the encoding does
  MapTest test;
  Vector kernel;  // mean logit or bias at lags 0, 1, ...; empty where only rows are added
  std::optional<KernelCertificate> certificate;  // of that kernel
};

// The places of the map with a sentence each, from the simplest family to the outside.
struct GroupPlace {
  std::string_view name;
  std::string_view meaning;
};
std::span<const GroupPlace> group_places();

// What the map of the catalogue is drawn for: families do not depend on the width.
inline constexpr Extent kGroupMapExtent{.positions = 64, .dim = 24, .heads = 8};

// Why no pair of positions alone decides the logit of this scheme, for names that are known to be
// such; else empty. They are in no catalogue.
std::string content_dependent(std::string_view name);

// Throws as test_encoding() does.
GroupRow group_row(const Encoding& encoding, const Extent& extent, const ClassifyOptions& options);

// A row for every encoding of the catalogue with its defaults, and for those of its examples that
// live elsewhere.
std::vector<GroupRow> group_map(const ClassifyOptions& options, Index threads);

// {dim, places[{name, meaning}], rows[...]}: docs/report-format.md.
Json group_map_json(std::span<const GroupRow> rows);

}  // namespace sextant
