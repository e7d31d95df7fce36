// SPDX-License-Identifier: Apache-2.0
// transformers 5: modeling_rope_utils reads rope_parameters, into which it moves rope_theta,
// partial_rotary_factor and original_max_position_embeddings of older configs.
#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "model/engine_rules.h"

namespace sextant {
namespace {

void hf_yarn(const RotaryQuestion& question, RotaryRule& rule) {
  const RopeKeys& keys = question.keys;
  rule.set("scaling", "yarn");
  rule.set("factor", needed_factor(question));
  rule.set("original", trained_length(question, rule));
  add_betas(question, rule);
  if (keys.truncate == false) rule.set("truncate", "false");
  // 0 counts as absent there.
  const bool both = keys.mscale.value_or(0.0) != 0.0 && keys.mscale_all_dim.value_or(0.0) != 0.0;
  if (keys.attention_factor) {
    rule.set("attention_factor", *keys.attention_factor);
  } else if (both) {
    rule.set("mscale", *keys.mscale);
    rule.set("mscale_all_dim", *keys.mscale_all_dim);
  }
  if (keys.attn_factor) rule.assume("attn_factor is not read by transformers");
  rule.softmax_factor = latent_softmax_factor(question, keys.mscale_all_dim.value_or(0.0));
  if (question.model.family == "deepseek_v2" && rule.softmax_factor != DoubleDouble(1.0))
    rule.assume(
        "the model's own code multiplies logits by mscale^2; transformers' class of deepseek_v2 "
        "leaves it out (transformers#47435)");
}

void hf_dynamic(const RotaryQuestion& question, RotaryRule& rule) {
  const Index longest = question.model.max_positions;
  require(longest > 0, question.model.source,
          "max_position_embeddings is missing: dynamic cannot be evaluated");
  rule.set("scaling", "dynamic");
  rule.set("factor", needed_factor(question));
  rule.set("original", static_cast<double>(longest));
  rule.set("length", static_cast<double>(std::max(question.length, longest)));
  if (question.keys.original)
    rule.assume("dynamic counts from max_position_embeddings, not from the original length");
}

void hf_long(const RotaryQuestion& question, RotaryRule& rule) {
  const RopeKeys& keys = question.keys;
  const double original = trained_length(question, rule);
  double factor = keys.factor.value_or(0.0);
  if (!keys.factor) {
    require(question.model.max_positions > 0, question.model.source,
            "max_position_embeddings is missing: longrope cannot be evaluated");
    factor = static_cast<double>(question.model.max_positions) / original;
    rule.assume(fmt::format("factor is absent: max/original = {}", factor));
  }
  add_longrope(question, original, factor, rule);
  const bool is_long = static_cast<double>(question.length) > original;
  const std::optional<double> by_length = is_long ? keys.long_mscale : keys.short_mscale;
  if (keys.attention_factor)
    rule.set("attention_factor", *keys.attention_factor);
  else if (by_length && question.model.family == "phimoe")
    rule.set("attention_factor", *by_length);
}

}  // namespace

RotaryRule hugging_face_rule(const RotaryQuestion& question) {
  RotaryRule rule;
  const std::string& type = question.keys.type;
  if (type == "linear" || type == "ntk") {
    rule.set("scaling", type);
    rule.set("factor", needed_factor(question));
    if (type == "ntk") rule.assume("transformers has no type ntk: the published formula");
  } else if (type == "dynamic") {
    hf_dynamic(question, rule);
  } else if (type == "yarn") {
    hf_yarn(question, rule);
  } else if (type == "llama3") {
    add_llama3(question, rule);
  } else if (type == "longrope") {
    hf_long(question, rule);
  } else if (type == "proportional") {
    rule.set("scaling", "proportional");
    if (question.keys.factor) rule.set("factor", *question.keys.factor);
  }
  return rule;
}

}  // namespace sextant
