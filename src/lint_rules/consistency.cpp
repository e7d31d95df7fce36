// SPDX-License-Identifier: Apache-2.0
// R15-R19: values that are fine alone and contradict each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/text.h"
#include "model/lint_places.h"

namespace sextant {
namespace {

using Findings = std::vector<LintFinding>;

constexpr double kRatioTolerance = 0.01;

void list_length(const LintSubject& subject, Findings& findings) {
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const std::optional<Index> rotated = turned_dim(subject.model, *group);
    if (!rotated || *rotated < 2) continue;
    const Index pairs = *rotated / 2;
    const auto judge = [&](std::string_view key, const std::vector<double>& list) {
      const auto entries = static_cast<Index>(list.size());
      if (entries == 0 || entries == pairs) return;
      findings.push_back({.severity = Severity::kError,
                          .where = key_place(subject, *group, {key}),
                          .message = fmt::format(
                              "{} has {} entries for {} pairs ({} rotated coordinates): {} pairs "
                              "get the wrong frequency or none",
                              key, entries, pairs, *rotated, std::abs(entries - pairs)),
                          .change = fmt::format("write one entry per pair, {} in all", pairs),
                          .values = {{"entries", static_cast<double>(entries)},
                                     {"pairs", static_cast<double>(pairs)}}});
    };
    judge("short_factor", group->rope.short_factor);
    judge("long_factor", group->rope.long_factor);
  }
}

void factor_ratio(const LintSubject& subject, Findings& findings) {
  const auto most = static_cast<double>(subject.model.max_positions);
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const RopeKeys& rope = group->rope;
    const bool is_meant = rope.type == "yarn" || rope.type == "longrope" || rope.type == "linear";
    if (!is_meant || !rope.factor || !rope.original || most <= 0.0) continue;
    // Equal and swapped lengths are R11.
    if (!(*rope.original > 0.0 && *rope.original < most)) continue;
    const double implied = most / *rope.original;
    if (std::abs(*rope.factor - implied) <= kRatioTolerance * implied) continue;
    findings.push_back(
        {.severity = Severity::kNote,
         .where = key_place(subject, *group, {"factor"}),
         .message = fmt::format("factor is {}, but max_position_embeddings / "
                                "original_max_position_embeddings is {:.6g}: an engine that takes "
                                "the ratio scales by {:.3g} of what the file says",
                                shortest(*rope.factor), implied, implied / *rope.factor),
         .change =
             fmt::format("where the extended length is what you serve, max_position_embeddings "
                         "is {:.0f}",
                         *rope.original * *rope.factor),
         .values = {{"factor", *rope.factor}, {"ratio", implied}}});
  }
}

// Keys in which families state the length that they were trained at.
constexpr std::string_view kTrainedLengths[] = {
    "seq_length",          "seq_len",          "max_seq_len",   "max_seq_length",
    "max_sequence_length", "model_max_length", "train_seq_len", "n_ctx"};

void double_extension(const LintSubject& subject, Findings& findings) {
  const auto most = static_cast<double>(subject.model.max_positions);
  for (const LayerGroup* group : turning_groups(subject.model)) {
    const RopeKeys& rope = group->rope;
    if ((rope.type != "linear" && rope.type != "dynamic") || !rope.factor || most <= 0.0) continue;
    if (!rope.original || !(*rope.factor > 1.0)) continue;
    const double extended = *rope.original * *rope.factor;
    if (std::abs(extended - most) > kRatioTolerance * most) continue;
    for (const ConfigObject& scope : config_scopes(subject)) {
      const auto says_so = [&](std::string_view key) {
        return number_at(scope, std::string(key)) == most;
      };
      const auto key = std::ranges::find_if(kTrainedLengths, says_so);
      if (key == std::end(kTrainedLengths)) continue;
      findings.push_back(
          {.severity = Severity::kWarning,
           .where = key_place(subject, *group, {"factor"}),
           .message =
               fmt::format("{} says that the model was trained at {:.0f} positions, which is "
                           "already {:.0f} times factor {}: the factor stretches positions "
                           "that need no stretching",
                           *key, most, *rope.original, shortest(*rope.factor)),
           .change = fmt::format("remove the scaling, or write max_position_embeddings {:.0f}",
                                 *rope.original),
           .values = {{"factor", *rope.factor}, {"max_positions", most}}});
    }
  }
}

// Names of the two projections whose rows turn, in safetensors and in GGUF.
constexpr std::string_view kQueries[] = {".q_proj.weight", ".attn_q.weight"};
constexpr std::string_view kKeys[] = {".k_proj.weight", ".attn_k.weight"};

// Families whose query projection holds more than the queries: a gate beside them.
bool has_gate(const Model& model) { return model.family.starts_with("qwen3_next"); }

// The projections of cross attention or of a vision tower have sizes of their own.
bool is_of_language_model(std::string_view tensor) {
  for (const std::string_view part : {"vision", "visual", "audio", "cross_attn", "encoder_attn"}) {
    if (tensor.find(part) != tensor.npos) return false;
  }
  return true;
}

struct NamedShape {
  std::string_view name;
  std::span<const Index> shape;
};

std::vector<NamedShape> all_shapes(const ModelFiles& files) {
  std::vector<NamedShape> all;
  for (const TensorLocation& tensor : files.tensors)
    all.push_back({tensor.header.name, tensor.header.shape});
  if (files.gguf) {
    for (const GgufTensor& tensor : files.gguf->tensors) all.push_back({tensor.name, tensor.shape});
  }
  return all;
}

void judge_rows(const std::vector<NamedShape>& tensors, std::span<const std::string_view> endings,
                Index heads, Index head_dim, Findings& findings) {
  const auto expected = static_cast<double>(heads) * static_cast<double>(head_dim);
  const NamedShape* first = nullptr;
  Index wrong = 0;
  for (const NamedShape& tensor : tensors) {
    const bool is_asked = std::ranges::any_of(
        endings, [&](std::string_view ending) { return tensor.name.ends_with(ending); });
    if (!is_asked || !is_of_language_model(tensor.name) || tensor.shape.size() != 2 ||
        static_cast<double>(tensor.shape[0]) == expected)
      continue;
    if (first == nullptr) first = &tensor;
    ++wrong;
  }
  if (first == nullptr) return;
  const auto rows = static_cast<double>(first->shape[0]);
  findings.push_back(
      {.severity = Severity::kError,
       .where = escaped(first->name),
       .message =
           fmt::format("the tensor has {:.0f} rows but {} heads of {} coordinates need {:.0f}: "
                       "heads are cut at wrong places and pairs turn that do not belong "
                       "together ({} such tensors)",
                       rows, heads, head_dim, expected, wrong),
       .change = fmt::format("write the head_dim of training: {:.0f} rows of {} heads give {:.6g}",
                             rows, heads, rows / static_cast<double>(heads)),
       .values = {{"rows", rows},
                  {"heads", static_cast<double>(heads)},
                  {"head_dim", static_cast<double>(head_dim)},
                  {"tensors", static_cast<double>(wrong)}}});
}

void projection_rows(const LintSubject& subject, Findings& findings) {
  const Model& model = subject.model;
  if (model.latent_attention || model.head_dim <= 0 || has_gate(model)) return;
  const std::vector<NamedShape> tensors = all_shapes(subject.files);
  if (model.heads > 0) judge_rows(tensors, kQueries, model.heads, model.head_dim, findings);
  if (model.kv_heads > 0) judge_rows(tensors, kKeys, model.kv_heads, model.head_dim, findings);
}

void head_dim_differs(const LintSubject& subject, Findings& findings) {
  const Model& model = subject.model;
  if (model.latent_attention || turning_groups(model).empty()) return;
  if (model.heads <= 0 || model.hidden <= 0 || model.head_dim <= 0) return;
  const double implied = static_cast<double>(model.hidden) / static_cast<double>(model.heads);
  if (static_cast<double>(model.head_dim) == implied) return;
  findings.push_back(
      {.severity = Severity::kNote,
       .where = key_place(subject, {"head_dim"}),
       .message =
           fmt::format("head_dim is {} but hidden_size / heads is {:.6g}: an engine that "
                       "computes the frequencies from the quotient is wrong from position 1 on",
                       model.head_dim, implied),
       .change = "make sure that the engine reads head_dim",
       .values = {{"head_dim", static_cast<double>(model.head_dim)}, {"quotient", implied}}});
}

constexpr std::string_view kR15[] = {"mlxcel#1358", "arXiv:2402.13753"};
constexpr std::string_view kR16[] = {"transformers#38224", "transformers#40320"};
constexpr std::string_view kR17[] = {"vllm#52665", "vllm#9490"};
constexpr std::string_view kR18[] = {"transformers#25199", "cascadia#69"};
constexpr std::string_view kR19[] = {"transformers@0044e3b", "vllm-fork#2133"};

constexpr LintRule kRules[] = {
    {.id = "R15",
     .name = "list-length",
     .title = "longrope: a list does not have one entry per pair",
     .severity = Severity::kError,
     .background =
         "short_factor and long_factor divide the frequency of each pair, so that their length is "
         "half the rotated part of a head. Lists copied from a model of another head size are not.",
     .references = kR15,
     .broken = R"({"head_dim": 8, "rope_scaling": {"rope_type": "longrope",
  "short_factor": [1.0, 1.0, 1.0], "long_factor": [1.0, 2.0, 4.0]}})",
     .fixed = R"({"head_dim": 6, "rope_scaling": {"rope_type": "longrope",
  "short_factor": [1.0, 1.0, 1.0], "long_factor": [1.0, 2.0, 4.0]}})",
     .check = list_length},
    {.id = "R16",
     .name = "factor-ratio",
     .title = "factor is not max_position_embeddings over the trained length",
     .severity = Severity::kNote,
     .background =
         "For yarn, longrope and linear some releases take the ratio of the two lengths in place "
         "of "
         "the factor that is written. Where they differ by more than 1 % the result depends on the "
         "release. llama3 is different by design.",
     .references = kR16,
     .broken = R"({"max_position_embeddings": 65536, "rope_scaling": {"rope_type": "yarn",
  "factor": 4.0, "original_max_position_embeddings": 32768}})",
     .fixed = R"({"max_position_embeddings": 131072, "rope_scaling": {"rope_type": "yarn",
  "factor": 4.0, "original_max_position_embeddings": 32768}})",
     .check = factor_ratio},
    {.id = "R17",
     .name = "double-extension",
     .title = "linear or dynamic scaling of a context that was trained already",
     .severity = Severity::kWarning,
     .background =
         "linear and dynamic count from max_position_embeddings or from position 0. Where the "
         "config says that the model was trained at the extended length, the factor is applied "
         "once "
         "more.",
     .references = kR17,
     .broken = R"({"max_position_embeddings": 16384, "seq_length": 16384, "rope_scaling":
  {"rope_type": "dynamic", "factor": 4.0, "original_max_position_embeddings": 4096}})",
     .fixed = R"({"max_position_embeddings": 16384, "seq_length": 16384})",
     .check = double_extension},
    {.id = "R18",
     .name = "projection-rows",
     .title = "rows of q_proj or k_proj do not fit heads and head_dim",
     .severity = Severity::kError,
     .background =
         "A projection has one block of head_dim rows per head. With another head_dim in the "
         "config "
         "the blocks are cut elsewhere. Read from the headers of the weights beside the config.",
     .references = kR18,
     .broken = R"({"num_attention_heads": 32, "head_dim": 64} with q_proj.weight [4096, 4096])",
     .fixed = R"({"num_attention_heads": 32, "head_dim": 128} with q_proj.weight [4096, 4096])",
     .check = projection_rows},
    {.id = "R19",
     .name = "head-dim-differs",
     .title = "head_dim is not hidden_size over heads",
     .severity = Severity::kNote,
     .background =
         "Many families choose head_dim freely. Older code computes it as hidden_size / heads and "
         "builds frequencies of another size.",
     .references = kR19,
     .broken = R"({"hidden_size": 2048, "num_attention_heads": 8, "head_dim": 128})",
     .fixed = R"({"hidden_size": 2048, "num_attention_heads": 16, "head_dim": 128})",
     .check = head_dim_differs},
};

}  // namespace

void register_consistency(LintRegistry& registry) {
  for (const LintRule& rule : kRules) registry.add(rule);
}

}  // namespace sextant
