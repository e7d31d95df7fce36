// SPDX-License-Identifier: Apache-2.0
// An engine's rule as a spec of the catalogue, evaluated there.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/rounding.h"
#include "base/text.h"
#include "math/elementary.h"
#include "model/engine_rules.h"
#include "model/families.h"
#include "sextant/registry.h"
#include "sextant/table.h"

namespace sextant {
namespace {

constexpr double kUsualTheta = 10000.0;

RotaryRule rule_of(Engine engine, const RotaryQuestion& question) {
  // Divisors of GGUF belong to the file, whichever engine reads it.
  if (engine == Engine::kLlamaCpp || !question.keys.divisors.empty())
    return llama_cpp_rule(question);
  return engine == Engine::kVllm ? vllm_rule(question) : hugging_face_rule(question);
}

double theta_of(const Model& model, const RopeKeys& keys, RotaryRule& rule) {
  if (keys.theta) return *keys.theta;
  const Family* family = family_of(model);
  const double theta = family == nullptr ? kUsualTheta : family->theta;
  rule.assume(fmt::format("rope_theta is absent: {}", shortest(theta)));
  return theta;
}

double partial_of(const Model& model, const RopeKeys& keys, RotaryRule& rule) {
  const double part = rotated_part(model, keys);
  if (!keys.partial && part != 1.0)
    rule.assume(fmt::format("the rotated part is not stated: {} of the head, by the family",
                            shortest(part)));
  return part;
}

// The catalogue's word for sections, where it has one: no scaling, the whole head, and sections
// that fill it. Text turns as by rope with the same base.
std::optional<std::string> sectioned_spec(const RotaryOperator& made, double theta, double partial,
                                          bool scaled) {
  const auto& sections = made.sections;
  const bool is_full =
      std::accumulate(sections.begin(), sections.end(), Index{0}) == made.rotary_dim / 2;
  const bool fits = std::ranges::all_of(sections, [](Index each) { return each >= 1; });
  if (sections.empty() || static_cast<Index>(sections.size()) > kMaxAxes || scaled ||
      partial != 1.0 || !fits || !is_full)
    return std::nullopt;
  return encodings()
      .make(fmt::format("mrope(sections={},kind={},base={},pairing={})", fmt::join(sections, ":"),
                        made.interleaved_sections ? "interleaved" : "contiguous", shortest(theta),
                        name(made.pairing)))
      ->spec();
}

// GGUF writes four numbers, the last of them 0.
std::vector<Index> sections_of(const RopeKeys& keys) {
  std::vector<Index> sections = keys.mrope_section;
  while (!sections.empty() && sections.back() == 0) sections.pop_back();
  return sections;
}

// Coordinates that a fraction turns, and whether they can pair.
void check_dimensions(const Model& model, double partial) {
  require(
      model.head_dim > 0, model.source,
      "head_dim is unknown: neither head_dim nor hidden_size and the number of heads are there");
  require(model.head_dim % 2 == 0, model.source, "head_dim must be even but is {}", model.head_dim);
  require(partial > 0.0 && partial <= 1.0, model.source,
          "partial_rotary_factor must be above 0 and at most 1 but is {}", partial);
}

std::string spec_text(double theta, double partial, Pairing pairing, const RotaryRule& rule) {
  std::string text = fmt::format("rope(base={}", shortest(theta));
  for (const auto& [key, value] : rule.arguments) text += fmt::format(",{}={}", key, value);
  return text + fmt::format(",partial={},pairing={})", shortest(partial), name(pairing));
}

}  // namespace

std::string_view release(Engine engine) {
  switch (engine) {
    case Engine::kHuggingFace:
      return "transformers 5 (modeling_rope_utils)";
    case Engine::kLlamaCpp:
      return "llama.cpp after #18006";
    case Engine::kVllm:
      return "vLLM with rope_parameters in get_rope (0.12 and later)";
  }
  return "";
}

RotaryOperator rotary_operator(const Model& model, const LayerGroup& group, Engine engine,
                               Index length) {
  const RotaryQuestion question{model, group.rope,
                                std::max<Index>(length > 0 ? length : model.max_positions, 1)};
  RotaryRule rule = rule_of(engine, question);
  const double theta = theta_of(model, group.rope, rule);
  const double partial = partial_of(model, group.rope, rule);
  check_dimensions(model, partial);
  if (!group.rope.mrope_section.empty())
    rule.assume("tokens of text: the coordinates of mrope are equal");
  const Extent extent{.dim = model.head_dim};
  std::unique_ptr<Encoding> encoding;
  RotaryLadder ladder;
  const auto evaluate = [&] {
    encoding = encodings().make(spec_text(theta, partial, model.pairing, rule));
    ladder = *rotary_ladder(encoding->effects(extent));
  };
  try {
    evaluate();
    if (rule.factor_on_magnitude && *rule.factor_on_magnitude != 1.0) {
      rule.set("attention_factor", to_double(ladder.magnitude * *rule.factor_on_magnitude));
      evaluate();
    }
  } catch (const Error& error) {
    const std::string& pointer = group.rope.pointer;
    fail(error.code(),
         pointer.empty() ? model.source : fmt::format("{}: {}", model.source, pointer), "{}",
         error.what());
  }
  RotaryOperator result{.spec = encoding->spec(),
                        .theta = theta,
                        .inv_freq = ladder.inv_freq,
                        .magnitude = ladder.magnitude,
                        .softmax_factor = rule.softmax_factor,
                        .pairing = model.pairing,
                        .head_dim = model.head_dim,
                        .rotary_dim = 2 * static_cast<Index>(ladder.inv_freq.size()),
                        .assumptions = std::move(rule.assumptions)};
  result.sections = sections_of(group.rope);
  result.interleaved_sections = group.rope.mrope_interleaved && !result.sections.empty();
  if (const auto spec = sectioned_spec(result, theta, partial, !rule.arguments.empty()))
    result.spec = *spec;
  if (rule.slower_by) {
    // base^(-2i/d) f^(-2i/(d-2)) of the catalogue becomes (base f)^(-2i/d) f^(-2/d).
    const Index dim = result.rotary_dim;
    for (Index i = 0; i < dim / 2; ++i)
      result.inv_freq[static_cast<std::size_t>(i)] =
          rational_power(theta, -2 * i, dim) * rational_power(*rule.slower_by, -2 * (i + 1), dim);
    result.assumptions.emplace_back(
        "vllm's ntk slows the fastest pair as well; the catalogue has no word for it, and the spec "
        "is the published rule");
  }
  return result;
}

std::string group_spec(const Model& model, const LayerGroup& group, Engine engine) {
  switch (group.kind) {
    case PositionKind::kRotary:
      return rotary_operator(model, group, engine).spec;
    case PositionKind::kAlibi: {
      std::string text = fmt::format("alibi(max_bias={}", shortest(model.alibi_bias_max));
      if (model.heads > 0) text += fmt::format(",heads={}", model.heads);
      return encodings().make(text + ")")->spec();
    }
    case PositionKind::kT5:
      return encodings()
          .make(fmt::format("t5(buckets={},distance={},causal={})", model.t5_buckets,
                            model.t5_max_distance, model.causal ? 1 : 0))
          ->spec();
    case PositionKind::kLearned:
      return "learned";
    case PositionKind::kSinusoidal:
      return "sinusoidal";
    case PositionKind::kNone:
      break;
  }
  return "none";
}

}  // namespace sextant
