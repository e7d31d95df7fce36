// SPDX-License-Identifier: Apache-2.0
// vLLM with rope_parameters (get_rope): each class of its package rotary_embedding takes only the
// keys that are listed there. Configs pass through transformers first, which fills in the trained
// length.
#include <fmt/format.h>

#include "base/check.h"
#include "base/rounding.h"
#include "math/elementary.h"
#include "model/engine_rules.h"
#include "model/families.h"

namespace sextant {
namespace {

bool takes_deepseek_yarn(const Model& model) {
  const Family* family = family_of(model);
  return family != nullptr && family->softmax_mscale;
}

void vllm_yarn(const RotaryQuestion& question, RotaryRule& rule) {
  const RopeKeys& keys = question.keys;
  rule.set("scaling", "yarn");
  rule.set("factor", needed_factor(question));
  rule.set("original", trained_length(question, rule));
  if (keys.beta_fast) rule.set("beta_fast", *keys.beta_fast);
  if (keys.beta_slow) rule.set("beta_slow", *keys.beta_slow);
  if (keys.attn_factor) rule.factor_on_magnitude = *keys.attn_factor;
  if (keys.attention_factor)
    rule.assume("attention_factor is not read by vllm, which knows attn_factor (vllm#46280)");
  if (takes_deepseek_yarn(question.model)) {
    rule.set("mscale", keys.mscale.value_or(1.0));
    rule.set("mscale_all_dim", keys.mscale_all_dim.value_or(0.0));
    rule.softmax_factor = latent_softmax_factor(question, keys.mscale_all_dim.value_or(0.0));
    if (keys.truncate == false) rule.assume("truncate is not read by deepseek_yarn");
    return;
  }
  if (keys.truncate == false) rule.set("truncate", "false");
  if (keys.mscale || keys.mscale_all_dim)
    rule.assume("mscale and mscale_all_dim are not read by vllm's yarn (vllm#48621)");
}

// The base is set once, for a sequence of factor times the trained length.
void vllm_dynamic(const RotaryQuestion& question, RotaryRule& rule) {
  const double factor = needed_factor(question);
  rule.set("scaling", "ntk");
  rule.set("factor", factor * factor - (factor - 1.0));
  rule.assume(
      fmt::format("dynamic is static in vllm: as for {} times the length (vllm#41236)", factor));
}

void vllm_long(const RotaryQuestion& question, RotaryRule& rule) {
  const RopeKeys& keys = question.keys;
  const double original = trained_length(question, rule);
  require(question.model.max_positions > 0, question.model.source,
          "max_position_embeddings is missing: longrope cannot be evaluated");
  add_longrope(question, original, static_cast<double>(question.model.max_positions) / original,
               rule);
  const bool is_long = static_cast<double>(question.length) > original;
  if (const std::optional<double> given = is_long ? keys.long_mscale : keys.short_mscale)
    rule.set("attention_factor", *given);
  else if (keys.attention_factor)
    rule.assume("attention_factor is not read by vllm's longrope");
  if (keys.factor) rule.assume("factor is not read by vllm's longrope: max/original is");
  rule.assume("the list is chosen once, by the longest length that the server allows");
}

}  // namespace

RotaryRule vllm_rule(const RotaryQuestion& question) {
  RotaryRule rule;
  const std::string& type = question.keys.type;
  if (type == "linear") {
    rule.set("scaling", "linear");
    rule.set("factor", needed_factor(question));
  } else if (type == "ntk") {
    // (base factor)^(-2i/d) factor^(-2/d): as ntk, but the fastest pair slows down as well.
    const double factor = needed_factor(question);
    rule.set("scaling", "ntk");
    rule.set("factor", factor);
    rule.slower_by = factor;
  } else if (type == "dynamic") {
    vllm_dynamic(question, rule);
  } else if (type == "yarn") {
    vllm_yarn(question, rule);
  } else if (type == "llama3") {
    add_llama3(question, rule);
  } else if (type == "longrope") {
    vllm_long(question, rule);
  } else if (type == "proportional") {
    rule.set("scaling", "proportional");
    if (question.keys.factor) rule.set("factor", *question.keys.factor);
    rule.assume("taken to be as in transformers");
  }
  return rule;
}

}  // namespace sextant
