// SPDX-License-Identifier: Apache-2.0
#include "run/lint_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/text.h"
#include "io/json_input.h"

namespace sextant {
namespace {

constexpr std::uint64_t kMostBaselineBytes = std::uint64_t{1} << 24;
constexpr char kSarifSchema[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";

AcceptedFinding key_of(const LintFinding& finding) {
  return {finding.file, finding.rule, finding.where};
}

LintedModel linted(const std::string& path, const LintOptions& options) {
  LintedModel model = {.name = path_text(path)};
  try {
    model.findings = lint(open_model(path), options);
  } catch (const Error& error) {
    model.error = error.what();
    model.code = error.code();
  }
  return model;
}

Json finding_json(const LintFinding& finding) {
  Json values = Json::object();
  for (const auto& [name, value] : finding.values) values[name] = value;
  return {
      {"file", finding.file},   {"rule", finding.rule},       {"severity", name(finding.severity)},
      {"where", finding.where}, {"message", finding.message}, {"change", finding.change},
      {"values", values}};
}

// A path as SARIF wants it: bytes other than letters, digits and -._~/ as %NN.
std::string uri(std::string_view path) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
  std::string text;
  for (const char c : path) {
    if (kPlain.find(c) != kPlain.npos)
      text += c;
    else
      text += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
}

Json sarif_rule(const LintRule& rule) {
  std::string help(rule.background);
  help += fmt::format("\n\nReferences: {}", fmt::join(rule.references, ", "));
  return {{"id", rule.id},
          {"name", rule.name},
          {"shortDescription", {{"text", rule.title}}},
          {"fullDescription", {{"text", rule.background}}},
          {"help", {{"text", help}}},
          {"defaultConfiguration", {{"level", name(rule.severity)}}}};
}

Json sarif_result(const LintFinding& finding, std::size_t rule_index) {
  std::string text = finding.message;
  if (!finding.change.empty()) text += fmt::format(". Change: {}", finding.change);
  // The whole file: a JSON pointer survives reformatting, a line does not.
  Json location = {
      {"physicalLocation",
       {{"artifactLocation", {{"uri", uri(finding.file)}}}, {"region", {{"startLine", 1}}}}}};
  if (!finding.where.empty())
    location["logicalLocations"] = Json::array({{{"fullyQualifiedName", finding.where}}});
  Json values = Json::object();
  for (const auto& [name, value] : finding.values) values[name] = value;
  return {{"ruleId", finding.rule},
          {"ruleIndex", rule_index},
          {"level", name(finding.severity)},
          {"message", {{"text", text}}},
          {"locations", Json::array({location})},
          {"partialFingerprints",
           {{"sextant/v1", fmt::format("{}:{}:{}", finding.rule, finding.file, finding.where)}}},
          {"properties", values}};
}

std::size_t index_of(std::string_view rule) {
  const auto rules = lint_rules().rules();
  return static_cast<std::size_t>(std::ranges::find(rules, rule, &LintRule::id) - rules.begin());
}

Json notification(const LintedModel& model) {
  return {
      {"level", "error"},
      {"message", {{"text", *model.error}}},
      {"locations",
       Json::array({{{"physicalLocation", {{"artifactLocation", {{"uri", uri(model.name)}}}}}}})}};
}

}  // namespace

LintRun lint_models(std::span<const std::string> paths, const LintOptions& options,
                    std::span<const AcceptedFinding> baseline) {
  for (const auto* ids : {&options.only, &options.ignored})
    for (const std::string& id : *ids) lint_rules().rule(id);
  const std::set<AcceptedFinding> accepted(baseline.begin(), baseline.end());
  std::set<AcceptedFinding> matched;
  LintRun run;
  run.models.reserve(paths.size());
  for (const std::string& path : paths) {
    LintedModel model = linted(path, options);
    model.accepted = std::erase_if(model.findings, [&](const LintFinding& finding) {
      const AcceptedFinding key = key_of(finding);
      if (!accepted.contains(key)) return false;
      matched.insert(key);
      return true;
    });
    run.models.push_back(std::move(model));
  }
  std::ranges::set_difference(accepted, matched, std::back_inserter(run.stale));
  return run;
}

std::vector<AcceptedFinding> read_baseline(const std::filesystem::path& path) {
  const std::string file = path_text(path);
  const JsonInput document = read_json(path, kMostBaselineBytes);
  const JsonNode root(document, file);
  if (root.at("schema").integer() != 1) root.at("schema").fail_here("must be 1");
  const JsonNode list = root.at("accepted");
  std::vector<AcceptedFinding> entries;
  entries.reserve(list.size());
  for (std::size_t k = 0; k < list.size(); ++k) {
    const JsonNode entry = list.at(k);
    entries.push_back({entry.at("file").text(), entry.at("rule").text(), entry.at("where").text()});
  }
  return entries;
}

Json baseline_json(const LintRun& run) {
  std::set<AcceptedFinding> entries;
  for (const LintedModel& model : run.models)
    for (const LintFinding& finding : model.findings) entries.insert(key_of(finding));
  Json list = Json::array();
  for (const AcceptedFinding& entry : entries)
    list.push_back({{"file", entry.file}, {"rule", entry.rule}, {"where", entry.where}});
  return {{"schema", 1}, {"accepted", list}};
}

std::size_t count(const LintRun& run, Severity severity) {
  std::size_t total = 0;
  for (const LintedModel& model : run.models)
    total += static_cast<std::size_t>(
        std::ranges::count(model.findings, severity, &LintFinding::severity));
  return total;
}

int lint_status(const LintRun& run, std::optional<Severity> fail_on) {
  for (const LintedModel& model : run.models)
    if (model.error) return exit_status(model.code);
  if (!fail_on) return 0;
  for (const LintedModel& model : run.models) {
    for (const LintFinding& finding : model.findings)
      if (finding.severity >= *fail_on) return 1;
  }
  return 0;
}

void add_lint(Json& document, const LintRun& run) {
  Json models = Json::array(), findings = Json::array(), stale = Json::array();
  std::size_t accepted = 0, unread = 0;
  for (const LintedModel& model : run.models) {
    models.push_back({{"file", model.name},
                      {"findings", model.findings.size()},
                      {"accepted", model.accepted},
                      {"error", model.error ? Json(*model.error) : Json()}});
    accepted += model.accepted;
    if (model.error) ++unread;
    for (const LintFinding& finding : model.findings) findings.push_back(finding_json(finding));
  }
  for (const AcceptedFinding& entry : run.stale)
    stale.push_back({{"file", entry.file}, {"rule", entry.rule}, {"where", entry.where}});
  document["summary"] = {{"files", run.models.size()},
                         {"errors", count(run, Severity::kError)},
                         {"warnings", count(run, Severity::kWarning)},
                         {"notes", count(run, Severity::kNote)},
                         {"accepted", accepted},
                         {"unread", unread}};
  document["models"] = models;
  document["findings"] = findings;
  document["stale"] = stale;
}

Json lint_rule_json(const LintRule& rule) {
  return {{"id", rule.id},
          {"name", rule.name},
          {"severity", name(rule.severity)},
          {"title", rule.title},
          {"background", rule.background},
          {"references", rule.references},
          {"broken", rule.broken},
          {"fixed", rule.fixed}};
}

Json sarif_document(const LintRun& run, const std::string& version) {
  Json rules = Json::array(), results = Json::array(), notifications = Json::array();
  for (const LintRule& rule : lint_rules().rules()) rules.push_back(sarif_rule(rule));
  for (const LintedModel& model : run.models) {
    if (model.error) notifications.push_back(notification(model));
    for (const LintFinding& finding : model.findings)
      results.push_back(sarif_result(finding, index_of(finding.rule)));
  }
  const Json driver = {{"name", "sextant"}, {"version", version}, {"rules", rules}};
  const Json invocation = {{"executionSuccessful", notifications.empty()},
                           {"toolExecutionNotifications", notifications}};
  return {{"$schema", kSarifSchema},
          {"version", "2.1.0"},
          {"runs", Json::array({{{"tool", {{"driver", driver}}},
                                 {"invocations", Json::array({invocation})},
                                 {"columnKind", "utf16CodeUnits"},
                                 {"results", results}}})}};
}

}  // namespace sextant
