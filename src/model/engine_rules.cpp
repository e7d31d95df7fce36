// SPDX-License-Identifier: Apache-2.0
#include "model/engine_rules.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "base/text.h"
#include "math/elementary.h"
#include "model/families.h"

namespace sextant {
namespace {

[[noreturn]] void fail_missing(const RotaryQuestion& question, std::string_view key) {
  fail(ErrorCode::kUsage, question.model.source, "{}/{} is missing: {} cannot be evaluated",
       question.keys.pointer, key, question.keys.type);
}

}  // namespace

void RotaryRule::set(std::string_view key, double value) {
  arguments.emplace_back(key, shortest(value));
}

void RotaryRule::set(std::string_view key, std::string_view value) {
  arguments.emplace_back(key, value);
}

void RotaryRule::set(std::string_view key, const std::vector<double>& values) {
  std::string text;
  for (const double value : values) {
    if (!text.empty()) text += ':';
    text += shortest(value);
  }
  arguments.emplace_back(key, text);
}

double needed_factor(const RotaryQuestion& question) {
  if (!question.keys.factor) fail_missing(question, "factor");
  return *question.keys.factor;
}

double trained_length(const RotaryQuestion& question, RotaryRule& rule) {
  if (question.keys.original) return *question.keys.original;
  if (question.model.max_positions == 0) fail_missing(question, "original_max_position_embeddings");
  rule.assume(fmt::format("original_max_position_embeddings is absent: {}, the longest position",
                          question.model.max_positions));
  return static_cast<double>(question.model.max_positions);
}

void add_llama3(const RotaryQuestion& question, RotaryRule& rule) {
  const RopeKeys& keys = question.keys;
  rule.set("scaling", "llama3");
  rule.set("factor", needed_factor(question));
  rule.set("original", trained_length(question, rule));
  if (!keys.low_freq_factor) fail_missing(question, "low_freq_factor");
  if (!keys.high_freq_factor) fail_missing(question, "high_freq_factor");
  rule.set("low", *keys.low_freq_factor);
  if (*keys.low_freq_factor != *keys.high_freq_factor) {
    rule.set("high", *keys.high_freq_factor);
    return;
  }
  // Llama 4 Scout: no ramp, a pair is kept or divided.
  rule.set("high", std::nextafter(*keys.low_freq_factor, 2.0 * *keys.low_freq_factor + 1.0));
  rule.assume("low_freq_factor and high_freq_factor are equal: a step instead of a ramp");
}

void add_longrope(const RotaryQuestion& question, double original, double factor,
                  RotaryRule& rule) {
  const RopeKeys& keys = question.keys;
  if (keys.short_factor.empty()) fail_missing(question, "short_factor");
  if (keys.long_factor.empty()) fail_missing(question, "long_factor");
  rule.set("scaling", "longrope");
  rule.set("original", original);
  rule.set("length", static_cast<double>(question.length));
  if (factor > 1.0) rule.set("factor", factor);
  rule.set("short_factor", keys.short_factor);
  rule.set("long_factor", keys.long_factor);
}

void add_betas(const RotaryQuestion& question, RotaryRule& rule) {
  const auto add = [&](std::string_view key, std::optional<double> value, double otherwise) {
    if (value == 0.0)
      rule.assume(fmt::format("{} is 0, which counts as absent: {}", key, shortest(otherwise)));
    else if (value)
      rule.set(key, *value);
  };
  add("beta_fast", question.keys.beta_fast, 32.0);
  add("beta_slow", question.keys.beta_slow, 1.0);
}

DoubleDouble yarn_temperature(double factor, double weight) {
  if (factor <= 1.0) return 1.0;
  return 1.0 + DoubleDouble(weight) / 10.0 * log(DoubleDouble(factor));
}

DoubleDouble latent_softmax_factor(const RotaryQuestion& question, double mscale_all_dim) {
  const Family* family = family_of(question.model);
  const bool applies = family != nullptr && family->softmax_mscale;
  if (!applies || question.keys.type != "yarn" || !question.keys.factor) return 1.0;
  const DoubleDouble temperature = yarn_temperature(*question.keys.factor, mscale_all_dim);
  return temperature * temperature;
}

}  // namespace sextant
