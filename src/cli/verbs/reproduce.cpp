// SPDX-License-Identifier: Apache-2.0
// sextant reproduce: published tables beside our own numbers.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/study_output.h"
#include "groups/reproduction.h"

namespace sextant::cli {
namespace {

struct Named {
  std::string name;
  Reproduction (*make)();
};
const std::vector<Named>& reproductions() {
  static const std::vector<Named> list = {{"jordan-rope", jordan_rope_table}};
  return list;
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const Named& each : reproductions()) names.push_back(each.name);
  return names;
}

const Named& find(const std::string& name) {
  const auto found = std::ranges::find(reproductions(), name, &Named::name);
  require(found != reproductions().end(), "reproduce", "no table '{}'{}; there is {}",
          escaped(name), suggestion(name, known_names()), fmt::join(known_names(), ", "));
  return *found;
}

Json cells_json(const std::string& name, const Reproduction& table) {
  Json json = Json::array();
  for (const ReproducedCell& cell : table.cells) {
    json.push_back({{"name", name},
                    {"source", table.source},
                    {"cell", cell.cell},
                    {"published", cell.published},
                    {"ours", cell.ours},
                    {"sd", nullptr},  // nothing is drawn
                    {"condition", cell.condition},
                    {"verdict", cell.verdict}});
  }
  return json;
}

std::string table_text(const Reproduction& table, const Style& style) {
  std::string text = style.bold(table.source) + "\n" + wrapped(table.method, output_width(), 0) +
                     "\n\n" +
                     style.bold(fmt::format("{:<36} {:>10} {:>10} {:>10}  {}", "CELL", "PUBLISHED",
                                            "OURS", "CONDITION", "VERDICT")) +
                     "\n";
  for (const ReproducedCell& cell : table.cells)
    text += fmt::format("{:<36} {:>10.3f} {:>10.3f} {:>10.2g}  {}\n", cell.cell, cell.published,
                        cell.ours, cell.condition, cell.verdict);
  return text;
}

int run(const std::vector<std::string>& asked, const Globals& globals) {
  const Style style(globals.color);
  Json document = new_document("reproduce");
  document["tables"] = Json::array();
  std::string text;
  for (const std::string& name : asked.empty() ? known_names() : asked) {
    const Reproduction table = find(name).make();
    for (const Json& cell : cells_json(name, table)) document["tables"].push_back(cell);
    text += (text.empty() ? "" : "\n") + table_text(table, style);
  }
  print(globals.json ? to_text(document) : text);
  return 0;
}

}  // namespace

void register_reproduce(VerbRegistry& verbs) {
  Verb& verb = verbs.add("reproduce", "Print published tables beside our own numbers");
  const auto names = std::make_shared<std::vector<std::string>>();
  add_texts(*verb.app, "NAME", *names, "NAME", "Tables (default: all): jordan-rope");
  verb.argument_is_optional = true;
  verb.examples = {{"sextant reproduce jordan-rope", "table 3 of Jordan-RoPE, which is exact"},
                   {"sextant reproduce --json", "all tables, for programs"}};
  verb.takes_json = true;
  verb.run = [names, &globals = verbs.globals()] { return run(*names, globals); };
}

}  // namespace sextant::cli
