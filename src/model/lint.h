// SPDX-License-Identifier: Apache-2.0
// Rules that find positional mistakes in the files of a model. The rules are a catalogue: one file
// per group in lint_rules/.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/model_files.h"
#include "sextant/model.h"

namespace sextant {

enum class Severity { kNote, kWarning, kError };
std::string_view name(Severity severity);  // "note", "warning", "error"

struct LintFinding {
  std::string rule = {};  // "R08"
  Severity severity = Severity::kNote;
  std::string file = {};     // as messages print it
  std::string where = {};    // JSON pointer, GGUF key or tensor; empty: the whole file
  std::string message = {};  // one sentence: what goes wrong, from which position on, the number
  std::string change = {};   // what to change
  std::vector<std::pair<std::string, double>> values = {};  // the numbers behind the message
};

// What the rules look at. lint() makes it.
struct LintSubject {
  const ModelFiles& files;
  const Model& model;
  // Of each group of the model what transformers does, evaluated once for all rules; nothing where
  // it cannot be or where a frequency is no number.
  std::vector<std::optional<RotaryOperator>> operators = {};
};

struct LintRule {
  std::string_view id = {};              // "R08"
  std::string_view name = {};            // "factor-range"
  std::string_view title = {};           // one line: what it finds
  Severity severity = Severity::kError;  // the highest that it gives
  std::string_view background = {};      // a paragraph: why this happens and what it does
  std::span<const std::string_view> references = {};  // "vllm#46280", "arXiv:2309.00071"
  std::string_view broken = {};                       // an example in which it finds something
  std::string_view fixed = {};                        // the same without the finding
  // Appends findings; `rule` and `file` are filled in by lint().
  void (*check)(const LintSubject& subject, std::vector<LintFinding>& findings) = nullptr;
};

class LintRegistry {
 public:
  // Throws kInternal for an id or a name that is taken.
  void add(const LintRule& rule);
  std::span<const LintRule> rules() const { return rules_; }  // in the order of their ids
  // By id or name. Throws kUsage with the nearest.
  const LintRule& rule(std::string_view id) const;

 private:
  std::vector<LintRule> rules_;
};

// All rules of the library.
const LintRegistry& lint_rules();

struct LintOptions {
  std::vector<std::string> only = {};  // ids or names; empty: all
  std::vector<std::string> ignored = {};
};

// Errors first, then in the order of the ids. Throws kUsage for an unknown rule, and what
// describe() throws. What a rule cannot read is an error of the file: kUnreadable and kRefused as
// they are, everything else kMalformed.
std::vector<LintFinding> lint(const ModelFiles& files, const LintOptions& options = {});

}  // namespace sextant
