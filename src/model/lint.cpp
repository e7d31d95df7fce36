// SPDX-License-Identifier: Apache-2.0
#include "model/lint.h"

#include <algorithm>
#include <set>

#include "base/check.h"
#include "base/text.h"
#include "model/lint_places.h"

namespace sextant {
namespace {

std::set<std::string_view> ids_of(const std::vector<std::string>& words) {
  std::set<std::string_view> ids;
  for (const std::string& word : words) ids.insert(lint_rules().rule(word).id);
  return ids;
}

// The findings of one rule. An engine that cannot be evaluated or a tensor that cannot be read is
// no reason to lose the name of the file.
std::vector<LintFinding> findings_of(const LintRule& rule, const LintSubject& subject) {
  std::vector<LintFinding> findings;
  try {
    rule.check(subject, findings);
  } catch (const Error& error) {
    const bool is_own =
        error.code() == ErrorCode::kUnreadable || error.code() == ErrorCode::kRefused;
    fail(is_own ? error.code() : ErrorCode::kMalformed, subject.files.name, "{}: {}", rule.id,
         error.what());
  }
  // Groups of layers that read the same keys have the same findings.
  std::vector<LintFinding> unlike;
  for (LintFinding& finding : findings) {
    const auto same = [&finding](const LintFinding& other) {
      return other.where == finding.where && other.message == finding.message;
    };
    if (std::ranges::any_of(unlike, same)) continue;
    finding.rule = rule.id;
    if (finding.file.empty()) finding.file = subject.model.source;
    unlike.push_back(std::move(finding));
  }
  return unlike;
}

}  // namespace

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::kNote:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "";
}

void LintRegistry::add(const LintRule& rule) {
  for (const LintRule& other : rules_) {
    if (other.id == rule.id || other.name == rule.name)
      fail(ErrorCode::kInternal, "lint", "two rules '{}' ({}) and '{}' ({})", other.id, other.name,
           rule.id, rule.name);
  }
  rules_.insert(std::ranges::upper_bound(rules_, rule.id, {}, &LintRule::id), rule);
}

const LintRule& LintRegistry::rule(std::string_view id) const {
  const std::string asked = lower_ascii(id);
  std::vector<std::string> known;
  known.reserve(2 * rules_.size());
  for (const LintRule& each : rules_) {
    if (lower_ascii(each.id) == asked || each.name == asked) return each;
    known.insert(known.end(), {std::string(each.id), std::string(each.name)});
  }
  fail(ErrorCode::kUsage, "lint", "no rule '{}'{}", escaped(id), suggestion(id, known));
}

#define X(name) void register_##name(LintRegistry&);
#include "catalogue_lint_rules.inc"
#undef X

const LintRegistry& lint_rules() {
  static const LintRegistry registry = [] {
    LintRegistry result;
#define X(name) register_##name(result);
#include "catalogue_lint_rules.inc"
#undef X
    return result;
  }();
  return registry;
}

std::vector<LintFinding> lint(const ModelFiles& files, const LintOptions& options) {
  const std::set<std::string_view> only = ids_of(options.only), ignored = ids_of(options.ignored);
  const Model model = describe(files);
  const LintSubject subject = {.files = files, .model = model, .operators = sound_operators(model)};
  std::vector<LintFinding> all;
  for (const LintRule& rule : lint_rules().rules()) {
    if (ignored.contains(rule.id) || (!only.empty() && !only.contains(rule.id))) continue;
    std::ranges::move(findings_of(rule, subject), std::back_inserter(all));
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &LintFinding::severity);
  return all;
}

}  // namespace sextant
