// SPDX-License-Identifier: Apache-2.0
// How one engine fills the gaps of a rotary rule. Each rule ends in the words of the catalogue, so
// that all engines are evaluated by the same exact code.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sextant/model.h"

namespace sextant {

// One group of layers under one engine.
struct RotaryQuestion {
  const Model& model;
  const RopeKeys& keys;
  Index length = 0;  // of the sequence; at least 1
};

struct RotaryRule {
  std::vector<std::pair<std::string, std::string>> arguments = {};  // of rope(...), besides base,
                                                                    // partial and pairing
  std::optional<double> factor_on_magnitude = {};  // besides what the catalogue gives
  // vLLM's "ntk" has no word in the catalogue: every pair is slower by this besides.
  std::optional<double> slower_by = {};
  DoubleDouble softmax_factor = 1.0;
  std::vector<std::string> assumptions = {};

  void set(std::string_view key, double value);
  void set(std::string_view key, std::string_view value);
  void set(std::string_view key, const std::vector<double>& values);
  void assume(std::string assumption) { assumptions.push_back(std::move(assumption)); }
};

RotaryRule hugging_face_rule(const RotaryQuestion& question);
RotaryRule llama_cpp_rule(const RotaryQuestion& question);
RotaryRule vllm_rule(const RotaryQuestion& question);

// Shared by the rules. They throw kUsage naming the key that is missing.
double needed_factor(const RotaryQuestion& question);
// keys.original, else max_position_embeddings with an assumption.
double trained_length(const RotaryQuestion& question, RotaryRule& rule);
// factor=, original=, low=, high= of llama3.
void add_llama3(const RotaryQuestion& question, RotaryRule& rule);
// The lists, the lengths, and factor= for the magnitude.
void add_longrope(const RotaryQuestion& question, double original, double factor, RotaryRule& rule);
// beta_fast= and beta_slow=; 0 counts as absent.
void add_betas(const RotaryQuestion& question, RotaryRule& rule);

// (0.1 mscale_all_dim ln factor + 1)^2 where the family puts it on the logits, else 1.
DoubleDouble latent_softmax_factor(const RotaryQuestion& question, double mscale_all_dim);

// 1 + 0.1 weight ln factor, or 1 for factors up to 1.
DoubleDouble yarn_temperature(double factor, double weight);

}  // namespace sextant
