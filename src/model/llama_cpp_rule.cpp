// SPDX-License-Identifier: Apache-2.0
// llama.cpp after #18006. A config.json is taken as its converter would write it to GGUF.
//
// ggml multiplies cos and sin by 1 + 0.1 ln factor itself when YaRN is on; the context divides that
// out again and puts in the ratio of temperatures, so that the product below is what remains.
#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "base/rounding.h"
#include "math/elementary.h"
#include "model/engine_rules.h"
#include "model/families.h"

namespace sextant {
namespace {

// mscale_all_dim as the graph sees it: 0 where nothing says it.
double shown_log_multiplier(const RotaryQuestion& question) {
  const RopeKeys& keys = question.keys;
  if (!keys.log_multiplier) {
    const Family* family = family_of(question.model);
    const bool converted = family != nullptr && family->softmax_mscale;
    return converted ? keys.mscale_all_dim.value_or(0.0) : 0.0;
  }
  const GgufArchitecture* architecture = find_architecture(question.model.family);
  const bool tenth = architecture != nullptr && architecture->tenth_log_multiplier;
  return tenth ? *keys.log_multiplier * 10.0 : *keys.log_multiplier;
}

void ggml_yarn(const RotaryQuestion& question, RotaryRule& rule) {
  const RopeKeys& keys = question.keys;
  const double factor = needed_factor(question);
  rule.set("scaling", "yarn");
  rule.set("factor", factor);
  rule.set("original", trained_length(question, rule));
  if (keys.beta_fast) rule.set("beta_fast", *keys.beta_fast);
  if (keys.beta_slow) rule.set("beta_slow", *keys.beta_slow);
  if (keys.truncate == false) rule.assume("truncate is not read by ggml: the ramp is rounded");
  const double weight = shown_log_multiplier(question);
  const bool latent = question.model.latent_attention;
  if (weight != 0.0) {
    rule.set("mscale", latent && weight != 1.0 ? weight : 1.0);
    rule.set("mscale_all_dim", weight);
  }
  if (keys.attn_factor) rule.factor_on_magnitude = *keys.attn_factor;
  if (keys.attention_factor)
    rule.assume("attention_factor is replaced by the log term of llama.cpp");
  if (!latent) return;
  const DoubleDouble magnitude =
      (weight == 0.0 ? yarn_temperature(factor, 1.0)
                     : yarn_temperature(factor, weight != 1.0 ? weight : 1.0) /
                           yarn_temperature(factor, weight)) *
      keys.attn_factor.value_or(1.0);
  const DoubleDouble root = magnitude * yarn_temperature(factor, weight);
  rule.softmax_factor = root * root;
}

void ggml_long(const RotaryQuestion& question, RotaryRule& rule) {
  const RopeKeys& keys = question.keys;
  const double original = trained_length(question, rule);
  const double longest = static_cast<double>(question.model.max_positions);
  // The converter stores sqrt(1 + ln s / ln M) as attn_factor, s = max/original.
  add_longrope(question, original, keys.attn_factor ? 1.0 : longest / original, rule);
  if (keys.attn_factor) rule.factor_on_magnitude = *keys.attn_factor;
  if (keys.attention_factor) rule.assume("attention_factor is not converted");
  rule.assume("the list is chosen by the allocated context (llama.cpp#8995)");
}

// Divisors per pair, as a longrope whose two lists are one.
void ggml_divisors(const RotaryQuestion& question, RotaryRule& rule) {
  require(question.keys.type == "default", question.model.source,
          "rope_freqs.weight together with {} cannot be evaluated", question.keys.type);
  rule.set("scaling", "longrope");
  rule.set("original", 2.0);  // read by no part of what is used
  rule.set("short_factor", question.keys.divisors);
  rule.set("long_factor", question.keys.divisors);
}

}  // namespace

RotaryRule llama_cpp_rule(const RotaryQuestion& question) {
  RotaryRule rule;
  const std::string& type = question.keys.type;
  if (!question.keys.divisors.empty()) {
    ggml_divisors(question, rule);
  } else if (type == "linear") {
    rule.set("scaling", "linear");
    rule.set("factor", needed_factor(question));
  } else if (type == "yarn") {
    ggml_yarn(question, rule);
  } else if (type == "llama3") {
    add_llama3(question, rule);
    rule.assume("the converter stores the divisors as rope_freqs.weight in f32");
  } else if (type == "longrope") {
    ggml_long(question, rule);
  } else if (type == "dynamic" || type == "ntk") {
    rule.assume(fmt::format("llama.cpp has no {} scaling: the unscaled ladder", type));
  } else if (type == "proportional") {
    rule.set("scaling", "proportional");
    if (question.keys.factor) rule.set("factor", *question.keys.factor);
    rule.assume("taken to be as in transformers");
  }
  return rule;
}

}  // namespace sextant
