// SPDX-License-Identifier: Apache-2.0
// R36-R37: what short types do to ALiBi. The key-only row of causal models differs from the full
// matrix by a constant per query, which softmax cancels: no rule speaks of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text.h"
#include "model/lint_places.h"
#include "model/phase_error.h"
#include "sextant/registry.h"

namespace sextant {
namespace {

using Findings = std::vector<LintFinding>;

constexpr Index kMostHeads = 4096;
constexpr Index kUsualDistances = 4096, kMostDistances = 16384;

bool uses_alibi(const Model& model) {
  return std::ranges::any_of(
      model.groups, [](const LayerGroup& group) { return group.kind == PositionKind::kAlibi; });
}

struct Slopes {
  double steepest = 0.0, flattest = 0.0;
};

// By the encoding of the catalogue, which knows head counts that are no power of two.
std::optional<Slopes> slopes_of(const Model& model) {
  if (!uses_alibi(model) || model.heads < 1 || model.heads > kMostHeads) return std::nullopt;
  const auto encoding = encodings().make(
      fmt::format("alibi(heads={},max_bias={})", model.heads, shortest(model.alibi_bias_max)));
  const Effects effects = encoding->effects({.positions = 2, .dim = 2, .heads = model.heads});
  Slopes slopes = {.steepest = 0.0, .flattest = HUGE_VAL};
  for (Index head = 0; head < model.heads; ++head) {
    const double slope = -effects.logit->at(head, 1.0, 0.0);
    slopes.steepest = std::max(slopes.steepest, slope);
    slopes.flattest = std::min(slopes.flattest, slope);
  }
  return slopes;
}

Index distances(const Model& model) {
  return model.max_positions > 1 ? std::min(model.max_positions, kMostDistances) : kUsualDistances;
}

// How many biases slope * 0..count-1 differ after rounding.
Index distinct_biases(double slope, Index count, ShortType type) {
  Index distinct = 1;
  double last = 0.0;
  for (Index d = 1; d < count; ++d) {
    const double bias = rounded(rounded(slope, type) * static_cast<double>(d), type);
    if (bias != last) ++distinct;
    last = bias;
  }
  return distinct;
}

// exp(-x) rounds to 0 from x = bits ln 2 on: half the smallest subnormal is 2^-bits.
double horizon(double slope, int bits) { return std::ceil(bits * std::numbers::ln2 / slope); }

void alibi_biases(const LintSubject& subject, Findings& findings) {
  constexpr int kFloatBits = 150, kHalfBits = 25;
  const std::optional<Slopes> slopes = slopes_of(subject.model);
  if (!slopes) return;
  const Index count = distances(subject.model);
  const Index coarse = distinct_biases(slopes->steepest, count, ShortType::kBfloat16);
  const Index half = distinct_biases(slopes->steepest, count, ShortType::kHalf);
  findings.push_back(
      {.severity = Severity::kNote,
       .where = key_place(subject, {"alibi", "num_attention_heads", "n_head", "n_heads"}),
       .message = fmt::format(
           "{} distances have {} different biases in bfloat16 and {} in float16; the weight "
           "exp(-m d) is 0 in float32 from distance {:.0f} (m = {:.4g}) to {:.0f} (m = {:.4g}), in "
           "float16 from {:.0f} to {:.0f}",
           count, coarse, half, horizon(slopes->steepest, kFloatBits), slopes->steepest,
           horizon(slopes->flattest, kFloatBits), slopes->flattest,
           horizon(slopes->steepest, kHalfBits), horizon(slopes->flattest, kHalfBits)),
       .change = "form biases in float32",
       .values = {{"distances", static_cast<double>(count)},
                  {"bfloat16", static_cast<double>(coarse)},
                  {"float16", static_cast<double>(half)},
                  {"horizon_float32_first", horizon(slopes->steepest, kFloatBits)},
                  {"horizon_float32_last", horizon(slopes->flattest, kFloatBits)},
                  {"horizon_float16_first", horizon(slopes->steepest, kHalfBits)},
                  {"horizon_float16_last", horizon(slopes->flattest, kHalfBits)}}});
}

void alibi_overflow(const LintSubject& subject, Findings& findings) {
  // -65504 + b rounds to -inf from b = -16 on, half a unit in the last place.
  constexpr double kHalfUnit = 16.0, kInfinite = 65520.0;
  if (short_type(subject.model.dtype) != ShortType::kHalf) return;
  const std::optional<Slopes> slopes = slopes_of(subject.model);
  if (!slopes) return;
  const auto last = static_cast<double>(distances(subject.model) - 1);
  if (slopes->steepest * last < kHalfUnit) return;
  const double masked = std::ceil(kHalfUnit / slopes->steepest);
  const double alone = std::ceil(kInfinite / slopes->steepest);
  findings.push_back(
      {.severity = Severity::kNote,
       .where = key_place(subject, {"torch_dtype", "dtype"}),
       .message = fmt::format("in float16 a mask of -65504 plus the bias of the steepest head is "
                              "-inf from distance {:.0f} on, so that a fully masked row becomes "
                              "not a number; the bias alone overflows at distance {:.0f}",
                              masked, alone),
       .change = "mask after the bias, or add both in float32",
       .values = {{"slope", slopes->steepest}, {"masked", masked}, {"alone", alone}}});
}

constexpr std::string_view kR36[] = {"TRT-Model-Connect#667", "vllm-fork#503", "OLMo#327",
                                     "flash-attention#846", "arXiv:2108.12409"};
constexpr std::string_view kR37[] = {"pytorch#41508", "transformers#27114", "vllm#945"};

constexpr LintRule kRules[] = {
    {.id = "R36",
     .name = "alibi-biases",
     .title = "how many biases are left in short types, and how far each head sees",
     .severity = Severity::kNote,
     .background =
         "A bias is slope times distance. In bfloat16 distant keys share a bias, and from some "
         "distance on the weight of a key is exactly 0: the horizon of the head.",
     .references = kR36,
     .broken = R"({"model_type": "bloom", "n_head": 16, "seq_length": 4096})",
     .fixed = R"({"model_type": "gpt2", "n_head": 16, "n_positions": 4096})",
     .check = alibi_biases},
    {.id = "R37",
     .name = "alibi-overflow",
     .title = "float16: mask and bias together overflow",
     .severity = Severity::kNote,
     .background = "An additive mask of the smallest float16 leaves no room for a bias: their sum "
                   "is -inf, and "
                   "softmax of a row of -inf is not a number.",
     .references = kR37,
     .broken = R"({"model_type": "bloom", "n_head": 16, "torch_dtype": "float16"})",
     .fixed = R"({"model_type": "bloom", "n_head": 16, "torch_dtype": "bfloat16"})",
     .check = alibi_overflow},
};

}  // namespace

void register_alibi(LintRegistry& registry) {
  for (const LintRule& rule : kRules) registry.add(rule);
}

}  // namespace sextant
