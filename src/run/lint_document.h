// SPDX-License-Identifier: Apache-2.0
// Models linted one after another, held against a baseline, and what came out as JSON and as SARIF
// 2.1.0: docs/lint.md.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/json.h"
#include "model/lint.h"
#include "sextant/error.h"

namespace sextant {

// A finding that somebody accepted. It has no line and no number, so that it outlives small edits.
struct AcceptedFinding {
  std::string file = {}, rule = {}, where = {};
  auto operator<=>(const AcceptedFinding&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct LintedModel {
  std::string name = {};
  std::vector<LintFinding> findings = {};
  std::size_t accepted = 0;                // findings that the baseline takes away
  std::optional<std::string> error = {};   // why it could not be linted
  ErrorCode code = ErrorCode::kMalformed;  // of the error
};

struct LintRun {
  std::vector<LintedModel> models = {};
  std::vector<AcceptedFinding> stale = {};  // entries of the baseline that nothing matches
};

// A model that cannot be read is an entry with `error`; the others are linted all the same. Throws
// kUsage for an unknown rule.
LintRun lint_models(std::span<const std::string> paths, const LintOptions& options,
                    std::span<const AcceptedFinding> baseline = {});

// {"schema": 1, "accepted": [{"file", "rule", "where"}]}. Throws kUnreadable, kMalformed.
std::vector<AcceptedFinding> read_baseline(const std::filesystem::path& path);
Json baseline_json(const LintRun& run);

std::size_t count(const LintRun& run, Severity severity);

// The exit status: that of the first model with an error; else 1 where a finding is at least as
// grave as `fail_on`; else 0. Nothing for `fail_on`: findings never fail.
int lint_status(const LintRun& run, std::optional<Severity> fail_on);

// models, findings, summary, stale.
void add_lint(Json& document, const LintRun& run);
Json lint_rule_json(const LintRule& rule);
Json sarif_document(const LintRun& run, const std::string& version);

}  // namespace sextant
