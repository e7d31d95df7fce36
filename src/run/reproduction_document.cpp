// SPDX-License-Identifier: Apache-2.0
#include "run/reproduction_document.h"

#include <algorithm>

#include "run/json_values.h"

namespace sextant {
namespace {

Json reading_json(const Reading& reading) {
  Json json = {{"condition", reading.condition},
               {"ours", or_null(reading.ours)},
               {"sd", or_null(reading.sd)},
               {"seeds", or_null(reading.seeds)}};
  if (!reading.fault.empty()) json["fault"] = reading.fault;
  return json;
}

}  // namespace

Json reproduction_info_json(const ReproductionRegistry::Entry& entry) {
  const std::vector<PublishedCell> cells = entry.cells();
  return {{"name", entry.info.name},
          {"source", entry.info.source},
          {"method", entry.info.method},
          {"cells", cells.size()},
          {"trained", std::ranges::any_of(cells, needs_lab)},
          {"corpora", corpora_of(entry)}};
}

Json cells_json(const Reproduction& table) {
  Json json = Json::array();
  for (const PublishedCell& cell : table.cells) {
    const Reading* found = decisive(cell);
    Json readings = Json::array();
    for (const Reading& reading : cell.readings) readings.push_back(reading_json(reading));
    json.push_back({{"name", table.entry->info.name},
                    {"source", table.entry->info.source},
                    {"place", cell.place},
                    {"cell", cell.cell},
                    {"relation", name(cell.relation)},
                    {"published", or_null(cell.published)},
                    {"ours", found == nullptr ? Json() : or_null(found->ours)},
                    {"sd", found == nullptr ? Json() : or_null(found->sd)},
                    {"condition", or_null(cell.condition)},
                    {"setup", cell.setup},
                    {"verdict", verdict(cell)},
                    {"remark", cell.remark},
                    {"readings", std::move(readings)}});
  }
  return json;
}

}  // namespace sextant
