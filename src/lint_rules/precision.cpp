// SPDX-License-Identifier: Apache-2.0
// R33-R35: what an engine that rounds too early does to this model. Predictions, not faults of the
// file: the numbers are computed from its own frequencies.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "model/lint_places.h"
#include "model/phase_error.h"

namespace sextant {
namespace {

using Findings = std::vector<LintFinding>;

// Longer than any context, and short enough for a search.
constexpr Index kLookedAt = Index{1} << 22;

// "1e-3 at 2, 1e-2 at 9, 0.1 at 85".
struct Departures {
  std::string text;
  std::vector<std::pair<std::string, double>> values;
};

template <typename First>
Departures departures(const First& first) {
  Departures result;
  for (const double error : kPhaseErrors) {
    const std::optional<Index> position = first(error);
    if (!position) break;  // a larger error comes later still
    if (!result.text.empty()) result.text += ", ";
    result.text += fmt::format("{:g} at position {}", error, *position);
    result.values.emplace_back(fmt::format("above_{:g}", error), static_cast<double>(*position));
  }
  return result;
}

Index looked_at(const Model& model) {
  return model.max_positions > 0 ? std::min(model.max_positions, kLookedAt) : kLookedAt;
}

void frequencies_cast(const LintSubject& subject, Findings& findings) {
  const std::optional<ShortType> type = short_type(subject.model.dtype);
  if (!type) return;
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const RotaryOperator* made = sound_operator(subject, *group);
    if (made == nullptr) continue;
    const std::vector<double> exact = doubles(made->inv_freq);
    const std::vector<double> cast = rounded(exact, *type);
    const Departures first = departures([&](double error) {
      return first_departure(exact, cast, error, looked_at(subject.model));
    });
    if (first.text.empty()) continue;
    findings.push_back(
        {.severity = Severity::kNote,
         .where = key_place(subject, {"torch_dtype", "dtype"}),
         .message = fmt::format("where an engine casts inv_freq to {} with the model, |delta cos| "
                                "passes {}",
                                subject.model.dtype, first.text),
         .change = "keep inv_freq in float32 and cast cos and sin at the end",
         .values = first.values});
  }
}

void positions_cast(const LintSubject& subject, Findings& findings) {
  const Model& model = subject.model;
  const std::optional<ShortType> type = short_type(model.dtype);
  if (!type || turning_groups(model).empty()) return;
  const Index exact = exact_positions(*type);
  if (model.max_positions <= exact + 1) return;
  const Index distinct = distinct_positions(model.max_positions, *type);
  findings.push_back(
      {.severity = Severity::kNote,
       .where = key_place(subject, {"torch_dtype", "dtype"}),
       .message = fmt::format("where an engine forms positions in {}, {} is the first that is not "
                              "exact and {} positions become {} different ones",
                              model.dtype, exact + 1, model.max_positions, distinct),
       .change = "form positions as integers or in float32",
       .values = {{"first_position", static_cast<double>(exact + 1)},
                  {"positions", static_cast<double>(model.max_positions)},
                  {"distinct", static_cast<double>(distinct)}}});
}

void float_phase(const LintSubject& subject, Findings& findings) {
  const Model& model = subject.model;
  if (model.max_positions <= 0) return;
  for (const LayerGroup* group : turning_groups(model)) {
    const RotaryOperator* made = sound_operator(subject, *group);
    if (made == nullptr) continue;
    const std::vector<double> exact = doubles(made->inv_freq);
    const Departures first = departures(
        [&](double error) { return first_float_departure(exact, error, looked_at(model)); });
    if (first.text.empty()) continue;
    const double bound = float_phase_bound(exact, looked_at(model));
    LintFinding finding = {
        .severity = Severity::kNote,
        .where = key_place(subject, {"max_position_embeddings", "n_positions", "max_seq_len"}),
        .message =
            fmt::format("with phases in float32, as most engines form them, |delta cos| passes "
                        "{}; up to position {} it stays below {:.2g}",
                        first.text, looked_at(model), bound),
        .change = "nothing for most uses; exact tables need phases in double",
        .values = first.values};
    finding.values.emplace_back("bound", bound);
    findings.push_back(std::move(finding));
  }
}

constexpr std::string_view kR33[] = {"Modalities#462", "sglang-jax#1472", "Megatron-LM#744",
                                     "transformers#29285", "transformers#29496"};
constexpr std::string_view kR34[] = {"pytorch#137774"};
constexpr std::string_view kR35[] = {"gpt-neox#1003", "imp#1325"};

constexpr LintRule kRules[] = {
    {.id = "R33",
     .name = "frequencies-cast",
     .title = "what happens where inv_freq is cast to the type of the model",
     .severity = Severity::kNote,
     .background = "Casting a model to bfloat16 or float16 may cast its inv_freq too. The relative "
                   "error of a "
                   "frequency becomes an error of the phase that grows with the position: 0.1 is "
                   "passed after "
                   "60 to 92 positions in bfloat16.",
     .references = kR33,
     .broken = R"({"torch_dtype": "bfloat16", "rope_theta": 10000.0})",
     .fixed = R"({"torch_dtype": "float32", "rope_theta": 10000.0})",
     .check = frequencies_cast},
    {.id = "R34",
     .name = "positions-cast",
     .title = "what happens where positions are cast to the type of the model",
     .severity = Severity::kNote,
     .background = "bfloat16 counts to 256 and float16 to 2048; larger positions round to their "
                   "neighbours, so "
                   "that tokens share a place.",
     .references = kR34,
     .broken = R"({"torch_dtype": "bfloat16", "max_position_embeddings": 131072})",
     .fixed = R"({"torch_dtype": "float32", "max_position_embeddings": 131072})",
     .check = positions_cast},
    {.id = "R35",
     .name = "float-phase",
     .title = "how far phases in float32 are off within the context",
     .severity = Severity::kNote,
     .background =
         "A phase t * frequency in float32 has an absolute error of about t * 2^-24. The positions "
         "are those of an engine that forms base^(2i/d), its reciprocal and the product in "
         "float32.",
     .references = kR35,
     .broken = R"({"max_position_embeddings": 131072, "rope_theta": 500000.0})",
     .fixed = R"({"max_position_embeddings": 4096, "rope_theta": 500000.0})",
     .check = float_phase},
};

}  // namespace

void register_precision(LintRegistry& registry) {
  for (const LintRule& rule : kRules) registry.add(rule);
}

}  // namespace sextant
