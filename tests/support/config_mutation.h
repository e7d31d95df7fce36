// SPDX-License-Identifier: Apache-2.0
// Broken configs by the thousand: keys dropped, doubled, retyped, scaled, moved between configs.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "io/json_input.h"

namespace sextant {

class ConfigMutation {
 public:
  ConfigMutation(std::vector<JsonInput> seeds, std::uint64_t seed)
      : seeds_(std::move(seeds)), rng_(seed) {}

  // One of the configs with one to four faults.
  JsonInput next() {
    JsonInput config = seeds_[below(seeds_.size())];
    for (std::size_t faults = 1 + below(4); faults > 0; --faults) mutate(config);
    return config;
  }

 private:
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(rng_() % count); }

  // A random object of the document: the root or one inside it.
  JsonInput& object_in(JsonInput& config) {
    std::vector<JsonInput*> objects = {&config};
    for (std::size_t k = 0; k < objects.size(); ++k) {
      for (JsonInput& value : *objects[k])
        if (value.is_object()) objects.push_back(&value);
    }
    return *objects[below(objects.size())];
  }

  std::string key_in(const JsonInput& object) {
    auto place = object.begin();
    std::advance(place, below(object.size()));
    return place.key();
  }

  JsonInput absurd_value() {
    static const JsonInput kValues[] = {
        0,
        -1,
        1,
        2,
        3,
        65,
        2147483648.0,
        9223372036854775807,
        1e308,
        -1e308,
        1e-308,
        0.5,
        -0.0,
        1e30,
        "",
        "4096",
        "yarn",
        "nan",
        true,
        false,
        nullptr,
        JsonInput::array(),
        JsonInput::object(),
        JsonInput::array({1, 2, 3}),
        JsonInput::array({1.0, -1.0, nullptr, "x"}),
        JsonInput{{"rope_type", "yarn"}, {"factor", 4.0}},
        JsonInput{{"full_attention", {{"rope_theta", 1e6}}}, {"sliding_attention", 1}}};
    return kValues[below(std::size(kValues))];
  }

  void mutate(JsonInput& config) {
    static const std::string kKeys[] = {"rope_theta",
                                        "rope_scaling",
                                        "rope_parameters",
                                        "factor",
                                        "type",
                                        "rope_type",
                                        "original_max_position_embeddings",
                                        "max_position_embeddings",
                                        "head_dim",
                                        "hidden_size",
                                        "num_attention_heads",
                                        "partial_rotary_factor",
                                        "rotary_pct",
                                        "rotary_dim",
                                        "beta_fast",
                                        "beta_slow",
                                        "mscale",
                                        "mscale_all_dim",
                                        "attention_factor",
                                        "short_factor",
                                        "long_factor",
                                        "low_freq_factor",
                                        "high_freq_factor",
                                        "mrope_section",
                                        "text_config",
                                        "layer_types",
                                        "sliding_window_pattern",
                                        "torch_dtype",
                                        "alibi",
                                        "model_type",
                                        "no_rope_layers",
                                        "rope_local_base_freq",
                                        "qk_rope_head_dim",
                                        "num_hidden_layers",
                                        "num_key_value_heads"};
    JsonInput& object = object_in(config);
    switch (below(7)) {
      case 0:
        if (!object.empty()) object.erase(key_in(object));
        break;
      case 1:
        object[kKeys[below(std::size(kKeys))]] = absurd_value();
        break;
      case 2:
        if (!object.empty()) object[key_in(object)] = absurd_value();
        break;
      case 3:
        scale(object);
        break;
      case 4:
        splice(object);
        break;
      case 5:
        if (!object.empty()) object[kKeys[below(std::size(kKeys))]] = object[key_in(object)];
        break;
      default:
        object["rope_scaling"] = {{"rope_type", type()}, {"factor", below(64)}};
    }
  }

  std::string type() {
    static const std::string kTypes[] = {"default",  "linear", "dynamic", "ntk",          "yarn",
                                         "longrope", "su",     "llama3",  "proportional", "mrope"};
    return kTypes[below(std::size(kTypes))];
  }

  void scale(JsonInput& object) {
    if (object.empty()) return;
    JsonInput& value = object[key_in(object)];
    if (!value.is_number()) return;
    const double factor = std::ldexp(below(2) == 0 ? 1.0 : -1.0, static_cast<int>(below(80)) - 40);
    value = value.get<double>() * factor;
  }

  // A key of another config with its value.
  void splice(JsonInput& object) {
    const JsonInput& other = seeds_[below(seeds_.size())];
    const std::string key = key_in(other);
    object[key] = other.at(key);
  }

  std::vector<JsonInput> seeds_;
  std::mt19937_64 rng_;
};

}  // namespace sextant
