// SPDX-License-Identifier: Apache-2.0
// R42-R43: files of one model that contradict each other, and sizes that wrap.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/rounding.h"
#include "base/text.h"
#include "model/lint_places.h"

namespace sextant {
namespace {

using Findings = std::vector<LintFinding>;

constexpr double kUsualTheta = 10000.0;     // what llama.cpp takes where the key is absent
constexpr double kTolerance = 1e-5;         // GGUF holds float32
constexpr double kDivisorTolerance = 1e-3;  // converters form it in float32

// One number that both files may state.
struct Stated {
  std::string key;  // of GGUF, without the architecture
  std::optional<double> config, gguf;
  bool is_default = false;  // of llama.cpp: GGUF does not state it
  std::string_view effect = "one of the two is not the trained model, from position 1 on";
};

// What GGUF states, or what llama.cpp takes in its place.
Stated or_default(std::string key, std::optional<double> config, std::optional<double> gguf,
                  double otherwise) {
  return {std::move(key), config, gguf.value_or(otherwise), !gguf};
}

std::optional<double> positive(Index value) {
  return value > 0 ? std::optional(static_cast<double>(value)) : std::nullopt;
}

std::optional<double> rotated(const Model& model, const LayerGroup& group) {
  const std::optional<Index> dim = turned_dim(model, group);
  return dim ? std::optional(static_cast<double>(*dim)) : std::nullopt;
}

// GGUF states the multiplier of the logarithm, config.json the weight that 0.1 multiplies.
std::optional<double> log_multiplier(const Model& model, const RopeKeys& rope) {
  if (!model.latent_attention || !rope.mscale_all_dim) return std::nullopt;
  return 0.1 * *rope.mscale_all_dim;
}

// attn_factor multiplies 0.1 ln(factor) + 1, attention_factor replaces the product.
double attention_multiplier(const RopeKeys& rope) {
  if (rope.attn_factor) return *rope.attn_factor;
  if (!rope.attention_factor || !rope.factor || !(*rope.factor > 1.0)) return 1.0;
  return *rope.attention_factor / (1.0 + 0.1 * std::log(*rope.factor));
}

std::vector<Stated> numbers(const Model& config, const LayerGroup& one, const Model& gguf,
                            const LayerGroup& two) {
  const bool is_scaled = one.rope.type == "yarn" || one.rope.type == "linear";
  std::vector<Stated> all = {
      or_default("rope.freq_base", one.rope.theta, two.rope.theta, kUsualTheta),
      {.key = "context_length",
       .config = positive(config.max_positions),
       .gguf = positive(gguf.max_positions),
       .effect = "a program stops, or goes on, where the other does not"},
      {"rope.dimension_count", rotated(config, one), rotated(gguf, two)},
  };
  if (is_scaled)
    all.push_back(or_default("rope.scaling.factor", one.rope.factor, two.rope.factor, 1.0));
  if (one.rope.type == "yarn") {
    all.push_back({"rope.scaling.original_context_length", one.rope.original, two.rope.original});
    all.push_back(or_default("rope.scaling.attn_factor", attention_multiplier(one.rope),
                             two.rope.attn_factor, 1.0));
    all.push_back(or_default("rope.scaling.yarn_log_multiplier", log_multiplier(config, one.rope),
                             two.rope.log_multiplier, 0.0));
  }
  return all;
}

void compare_numbers(const Model& config, const LayerGroup& one, const Model& gguf,
                     const LayerGroup& two, Findings& findings) {
  for (const Stated& each : numbers(config, one, gguf, two)) {
    if (!each.config || !each.gguf) continue;
    if (std::abs(*each.config - *each.gguf) <= kTolerance * std::abs(*each.config)) continue;
    findings.push_back({.severity = Severity::kError,
                        .file = gguf.source,
                        .where = fmt::format("{}.{}", escaped(gguf.family), each.key),
                        .message = fmt::format("the GGUF file gives {}{} but config.json {}: {}",
                                               shortest(*each.gguf),
                                               each.is_default ? ", llama.cpp's default," : "",
                                               shortest(*each.config), each.effect),
                        .change = "convert again, or correct the key",
                        .values = {{"gguf", *each.gguf}, {"config", *each.config}}});
  }
}

// rope_freqs.weight against the divisors of config.json's rule: base^(-2i/d) over its frequency.
void compare_divisors(const Model& config, const LayerGroup& one, const LayerGroup& two,
                      const std::string& file, Findings& findings) {
  const std::vector<double>& stored = two.rope.divisors;
  LayerGroup plain = one;
  plain.rope.type = "default";
  const auto scaled = operator_of(config, one), unscaled = operator_of(config, plain);
  if (stored.empty() || !scaled || !unscaled || one.rope.type != "llama3" ||
      scaled->inv_freq.size() != stored.size() || unscaled->inv_freq.size() != stored.size())
    return;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const double divisor = to_double(unscaled->inv_freq[i]) / to_double(scaled->inv_freq[i]);
    if (std::abs(stored[i] - divisor) <= kDivisorTolerance * divisor) continue;
    findings.push_back(
        {.severity = Severity::kError,
         .file = file,
         .where = "rope_freqs.weight",
         .message = fmt::format("pair {} is divided by {} but by {:.6g} after config.json: the "
                                "tensor is of another rule, and the pair turns wrongly from "
                                "position 1 on",
                                i, shortest(stored[i]), divisor),
         .change = "convert again",
         .values = {{"pair", static_cast<double>(i)}, {"gguf", stored[i]}, {"config", divisor}}});
    return;
  }
}

bool has_tensor(const GgufFile& gguf, std::string_view name) {
  return gguf.find_tensor(name) != nullptr;
}

// llama3's divisors and longrope's lists are tensors in GGUF, not types.
bool type_is_kept(const std::string& config, const std::string& gguf, const GgufFile& file) {
  if (config == gguf || config == "mrope") return true;
  if (config == "llama3" || config == "proportional") return has_tensor(file, "rope_freqs.weight");
  if (config == "longrope") return has_tensor(file, "rope_factors_long.weight");
  return config == "dynamic" && gguf == "default";  // GGUF has no word for it
}

void gguf_and_config(const LintSubject& subject, Findings& findings) {
  const ModelFiles& files = subject.files;
  if (!files.config || !files.gguf) return;
  const Model config = describe_config(*files.config);
  const Model gguf = describe_gguf(*files.gguf, files.gguf->name);
  const auto ones = turning_groups(config), twos = turning_groups(gguf);
  if (ones.empty() != twos.empty()) {
    findings.push_back(
        {.severity = Severity::kError,
         .file = gguf.source,
         .where = "general.architecture",
         .message = fmt::format("{} turns queries and keys, the other file does not: they are not "
                                "one model",
                                ones.empty() ? "the GGUF file" : "config.json"),
         .change = "convert again"});
  }
  if (ones.empty() || twos.empty()) return;
  const std::string& type = ones[0]->rope.type;
  if (!type_is_kept(type, twos[0]->rope.type, *files.gguf)) {
    findings.push_back(
        {.severity = Severity::kError,
         .file = gguf.source,
         .where = fmt::format("{}.rope.scaling.type", escaped(gguf.family)),
         .message = fmt::format("config.json scales by {} but the GGUF file by {}: the scaling was "
                                "lost or invented in the conversion",
                                type, twos[0]->rope.type),
         .change = "convert again with a release that knows the type"});
  }
  compare_numbers(config, *ones[0], gguf, *twos[0], findings);
  compare_divisors(config, *ones[0], *twos[0], gguf.source, findings);
}

void index_overflow(const LintSubject& subject, Findings& findings) {
  constexpr double kWraps = 2147483648.0;
  const Model& model = subject.model;
  if (model.heads <= 0 || model.head_dim <= 0 || model.max_positions <= 0) return;
  const double row = static_cast<double>(model.heads) * static_cast<double>(model.head_dim);
  const double first = std::ceil(kWraps / row);
  if (static_cast<double>(model.max_positions) < first) return;
  findings.push_back(
      {.severity = Severity::kNote,
       .where = key_place(subject, {"max_position_embeddings", "n_positions", "max_seq_len"}),
       .message =
           fmt::format("heads * head_dim * position reaches 2^31 at position {:.0f}, within the "
                       "{} positions: a kernel with 32-bit offsets writes elsewhere from there "
                       "on",
                       first, model.max_positions),
       .change = "use kernels with 64-bit offsets, or shorter sequences in one batch",
       .values = {{"position", first}, {"row", row}}});
}

constexpr std::string_view kR42[] = {"ollama#2379", "llama.cpp#2768", "llama.cpp#13312",
                                     "llama.cpp#17945", "llama.cpp#22612"};
constexpr std::string_view kR43[] = {"vllm#52416", "SageAttention#386", "NATTEN#347"};

constexpr LintRule kRules[] = {
    {.id = "R42",
     .name = "gguf-and-config",
     .title = "a GGUF file and config.json of one folder disagree",
     .severity = Severity::kError,
     .background =
         "Conversions lose rope.freq_base (llama.cpp then uses 10000), the type of scaling, its "
         "factor or the trained length. Compared: freq_base, scaling.type, factor, "
         "original_context_length, attn_factor, yarn_log_multiplier, dimension_count and "
         "context_length.",
     .references = kR42,
     .broken = R"({"rope_theta": 1000000.0} beside a GGUF file without rope.freq_base)",
     .fixed = R"({"rope_theta": 1000000.0} beside a GGUF file with rope.freq_base 1000000)",
     .check = gguf_and_config},
    {.id = "R43",
     .name = "index-overflow",
     .title = "offsets of a long sequence pass 2^31",
     .severity = Severity::kNote,
     .background =
         "Kernels that compute heads * head_dim * position in 32 bits wrap: wrong output first, a "
         "crash later.",
     .references = kR43,
     .broken =
         R"({"num_attention_heads": 128, "head_dim": 128, "max_position_embeddings": 131072})",
     .fixed = R"({"num_attention_heads": 128, "head_dim": 128, "max_position_embeddings": 131071})",
     .check = index_overflow},
};

}  // namespace

void register_files(LintRegistry& registry) {
  for (const LintRule& rule : kRules) registry.add(rule);
}

}  // namespace sextant
