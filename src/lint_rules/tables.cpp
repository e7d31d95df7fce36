// SPDX-License-Identifier: Apache-2.0
// R40-R41: numbers that are stored where a formula or a length says what they must be.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "io/safetensors_input.h"
#include "model/lint_places.h"
#include "model/phase_error.h"

namespace sextant {
namespace {

using Findings = std::vector<LintFinding>;

// Families whose table has rows before position 0 besides those that the config counts.
constexpr std::string_view kExtraRows[] = {"opt", "bart", "mbart", "plbart", "biogpt"};

bool uses_table(const Model& model) {
  return std::ranges::any_of(
      model.groups, [](const LayerGroup& group) { return group.kind == PositionKind::kLearned; });
}

// Rows that the config asks for; 0 where it does not say.
Index declared_rows(const LintSubject& subject) {
  constexpr double kMostRows = 1e9;
  for (const ConfigObject& scope : config_scopes(subject)) {
    for (const char* key : {"max_position_embeddings", "n_positions", "n_ctx"}) {
      const std::optional<double> length = number_at(scope, key);
      if (!length || !(*length >= 1.0 && *length < kMostRows)) continue;
      const bool has_extra =
          std::ranges::find(kExtraRows, subject.model.family) != std::end(kExtraRows);
      return static_cast<Index>(*length) + (has_extra ? subject.model.first_row : 0);
    }
  }
  return 0;
}

// What the tokenizer lets through; nothing for the huge number that means "no limit".
std::optional<Index> tokenizer_limit(const ModelFiles& files) {
  constexpr double kNoLimit = 1e9;
  if (!files.tokenizer_config) return std::nullopt;
  const ConfigObject object = {"", &files.tokenizer_config->value};
  if (!object.value->is_object()) return std::nullopt;
  const std::optional<double> limit = number_at(object, "model_max_length");
  if (!limit || !(*limit >= 0.0 && *limit < kNoLimit)) return std::nullopt;
  return static_cast<Index>(*limit);
}

void learned_rows(const LintSubject& subject, Findings& findings) {
  const Model& model = subject.model;
  if (!uses_table(model)) return;
  const Index declared = declared_rows(subject), stored = model.table_rows;
  if (stored > 0 && declared > 0 && stored != declared) {
    findings.push_back(
        {.severity = Severity::kError,
         .where = key_place(subject, {"max_position_embeddings", "n_positions"}),
         .message = fmt::format(
             "the table has {} rows but the config asks for {}: {}", stored, declared,
             stored < declared ? fmt::format("position {} reads beyond it",
                                             std::max<Index>(stored - model.first_row, 0))
                               : "a loader that builds the table by the config refuses it"),
         .change = fmt::format("write the length that belongs to {} rows", stored),
         .values = {{"rows", static_cast<double>(stored)},
                    {"declared", static_cast<double>(declared)}}});
    return;
  }
  const Index rows = stored > 0 ? stored : declared;
  const std::optional<Index> limit = tokenizer_limit(subject.files);
  if (!limit || rows == 0 || *limit <= rows - model.first_row) return;
  const Index usable = rows - model.first_row;
  findings.push_back(
      {.severity = Severity::kError,
       .file = subject.files.tokenizer_config->name,
       .where = "/model_max_length",
       .message = fmt::format("the tokenizer lets {} tokens through, but {} rows of which {} come "
                              "before position 0 serve {}: position {} reads beyond the table",
                              *limit, rows, model.first_row, usable, usable),
       .change = fmt::format("write model_max_length {}", usable),
       .values = {{"model_max_length", static_cast<double>(*limit)},
                  {"rows", static_cast<double>(rows)},
                  {"usable", static_cast<double>(usable)}}});
}

// N of "model.layers.N.self_attn"; nothing where the tensor belongs to no layer.
std::optional<Index> layer_of(std::string_view tensor) {
  for (const std::string_view part : split(tensor, '.')) {
    if (const std::optional<Index> number = parse_integer(part)) return number;
  }
  return std::nullopt;
}

const LayerGroup* group_of(const Model& model, std::string_view tensor) {
  const std::vector<const LayerGroup*> groups = turning_groups(model);
  const std::optional<Index> layer = layer_of(tensor);
  for (const LayerGroup* group : groups) {
    if (!layer || group->layers.empty() ||
        std::ranges::find(group->layers, *layer) != group->layers.end())
      return group;
  }
  return nullptr;
}

// Whether every stored value is the formula's, rounded to a short type.
std::string cause(const Vector& stored, const std::vector<double>& exact, std::size_t bad) {
  if (!std::isfinite(stored[bad])) return "uninitialised memory";
  for (const ShortType type : {ShortType::kBfloat16, ShortType::kHalf}) {
    const std::vector<double> cast = rounded(exact, type);
    const auto is_close = [](double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); };
    if (std::equal(cast.begin(), cast.end(), stored.begin(), stored.end(), is_close))
      return type == ShortType::kHalf ? "the formula rounded to float16"
                                      : "the formula rounded to bfloat16";
  }
  return "another theta or scaling, or uninitialised memory";
}

void judge_frequencies(const TensorLocation& tensor, const std::vector<double>& exact,
                       Findings& findings) {
  constexpr double kTolerance =
      1e-5;  // float32 and its pow are some units in the seventh digit off
  const NpyArray stored =
      read_tensor(tensor.path, tensor.header.name,
                  {.max_bytes = std::uint64_t{1} << 20, .allow_nonfinite = true});
  const Vector& values = stored.values;
  std::size_t bad = 0;
  const auto count = static_cast<std::size_t>(values.size());
  while (bad < std::min(count, exact.size()) &&
         std::abs(values[bad] - exact[bad]) <= kTolerance * exact[bad])
    ++bad;
  if (bad == exact.size() && bad == count) return;
  LintFinding finding = {.severity = Severity::kError,
                         .where = escaped(tensor.header.name),
                         .change = "delete the tensor from the file: engines compute it",
                         .values = {{"index", static_cast<double>(bad)}}};
  if (bad == std::min(count, exact.size())) {
    finding.message =
        fmt::format("the stored inv_freq has {} entries but {} pairs turn", count, exact.size());
  } else {
    finding.message = fmt::format(
        "the stored inv_freq differs from the formula, first at index {}: {:.7g} in "
        "place of {:.7g}; it looks like {}",
        bad, values[bad], exact[bad], cause(values, exact, bad));
    finding.values.insert(finding.values.end(), {{"stored", values[bad]}, {"formula", exact[bad]}});
    if (count == exact.size() && std::isfinite(values[bad]) && values[bad] >= 0.0) {
      const std::array used = {values[bad]}, meant = {exact[bad]};
      if (const auto first = first_departure(meant, used, 0.1, Index{1} << 24)) {
        finding.message +=
            fmt::format(", and this pair is wrong by more than 0.1 from position {} on", *first);
        finding.values.emplace_back("first_position", static_cast<double>(*first));
      }
    }
  }
  findings.push_back(std::move(finding));
}

void stored_frequencies(const LintSubject& subject, Findings& findings) {
  for (const TensorLocation& tensor : subject.files.tensors) {
    if (!std::string_view(tensor.header.name).ends_with("rotary_emb.inv_freq")) continue;
    const LayerGroup* group = group_of(subject.model, tensor.header.name);
    if (group == nullptr) continue;
    const RotaryOperator* made = sound_operator(subject, *group);
    if (made == nullptr) continue;
    judge_frequencies(tensor, doubles(made->inv_freq), findings);
    if (!findings.empty()) return;  // the other layers have the same
  }
}

constexpr std::string_view kR40[] = {"transformers#1363", "fairseq#1187", "transformers#14384",
                                     "gpt-neox#650"};
constexpr std::string_view kR41[] = {"transformers#45902", "transformers#48892", "gpt-neox#1168",
                                     "SkyRL#1725"};

constexpr LintRule kRules[] = {
    {.id = "R40",
     .name = "learned-rows",
     .title = "rows of a learned table against the config and the tokenizer",
     .severity = Severity::kError,
     .background =
         "A learned table serves its rows less those before position 0: RoBERTa's 514 rows serve "
         "512 "
         "tokens. A tokenizer that lets more through makes an index beyond the table, which a GPU "
         "reports as an assertion without a name.",
     .references = kR40,
     .broken = R"({"model_type": "roberta", "max_position_embeddings": 514}
with tokenizer_config.json {"model_max_length": 514})",
     .fixed = R"({"model_type": "roberta", "max_position_embeddings": 514}
with tokenizer_config.json {"model_max_length": 512})",
     .check = learned_rows},
    {.id = "R41",
     .name = "stored-frequencies",
     .title = "stored inv_freq differs from the formula",
     .severity = Severity::kError,
     .background = "Old checkpoints hold inv_freq, some of them cast to 16 bits, some of them "
                   "memory that was "
                   "never written. An engine that loads the tensor runs with these frequencies.",
     .references = kR41,
     .broken = R"({"rope_theta": 500000.0} with rotary_emb.inv_freq of theta 10000)",
     .fixed = R"({"rope_theta": 500000.0} without rotary_emb.inv_freq)",
     .check = stored_frequencies},
};

}  // namespace

void register_tables(LintRegistry& registry) {
  for (const LintRule& rule : kRules) registry.add(rule);
}

}  // namespace sextant
