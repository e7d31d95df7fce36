// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/model_config.h"

namespace sextant {
namespace {

using Layers = std::vector<Index>;

const LayerGroup& named(const Model& model, std::string_view name) {
  for (const LayerGroup& group : model.groups)
    if (group.name == name) return group;
  ADD_FAILURE() << "no group " << name;
  return model.groups.front();
}

// Gemma 3: five sliding layers, then a full one; only the full ones are scaled.
TEST(LayerGroups, ScaleTheGlobalLayersOfGemmaOnly) {
  const Model model = model_of(R"({"model_type":"gemma3_text","num_hidden_layers":12,
      "hidden_size":2560,"num_attention_heads":8,"head_dim":256,"sliding_window_pattern":6,
      "rope_theta":1000000,"rope_local_base_freq":10000,
      "rope_scaling":{"rope_type":"linear","factor":8}})");
  ASSERT_EQ(model.groups.size(), 2U);
  const LayerGroup& full = named(model, "full_attention");
  EXPECT_EQ(full.layers, (Layers{5, 11}));
  EXPECT_EQ(full.rope.theta, 1e6);
  EXPECT_EQ(full.rope.factor, 8.0);
  const LayerGroup& sliding = named(model, "sliding_attention");
  EXPECT_EQ(sliding.layers.size(), 10U);
  EXPECT_EQ(sliding.rope.theta, 1e4);
  EXPECT_EQ(sliding.rope.type, "default");
}

TEST(LayerGroups, AgreeBetweenNestedAndFlatSpellings) {
  const Model nested = model_of(R"({"model_type":"gemma3_text","num_hidden_layers":6,
      "head_dim":256,"layer_types":["sliding_attention","sliding_attention","sliding_attention",
      "sliding_attention","sliding_attention","full_attention"],
      "rope_parameters":{"full_attention":{"rope_type":"linear","factor":8,"rope_theta":1000000},
      "sliding_attention":{"rope_type":"default","rope_theta":10000}}})");
  const Model flat = model_of(R"({"model_type":"gemma3_text","num_hidden_layers":6,
      "head_dim":256,"sliding_window_pattern":6,"rope_theta":1000000,
      "rope_local_base_freq":10000,"rope_scaling":{"rope_type":"linear","factor":8}})");
  EXPECT_EQ(named(nested, "full_attention").rope.pointer, "/rope_parameters/full_attention");
  EXPECT_EQ(fingerprint(nested), fingerprint(flat));
}

TEST(LayerGroups, LeaveLayersWithoutEncoding) {
  const Model interval = model_of(R"({"model_type":"smollm3","num_hidden_layers":8,
      "hidden_size":2048,"num_attention_heads":16,"no_rope_layer_interval":4})");
  EXPECT_EQ(named(interval, "no encoding").layers, (Layers{3, 7}));
  EXPECT_EQ(named(interval, "no encoding").kind, PositionKind::kNone);
  const Model listed = model_of(R"({"model_type":"llama4_text","num_hidden_layers":4,
      "no_rope_layers":[1,0,1,1]})");
  EXPECT_EQ(named(listed, "no encoding").layers, (Layers{1}));
  EXPECT_EQ(named(listed, "rotary").layers, (Layers{0, 2, 3}));
  const Model empty = model_of(R"({"model_type":"llama4_text","num_hidden_layers":4,
      "no_rope_layers":[]})");
  EXPECT_EQ(named(empty, "no encoding").layers, (Layers{3}));
}

TEST(LayerGroups, TurnOnlyTheSlidingLayersOfCohere) {
  const Model model = model_of(R"({"model_type":"cohere2","num_hidden_layers":8,
      "sliding_window":4096,"sliding_window_pattern":4,"rope_theta":50000})");
  EXPECT_EQ(named(model, "full_attention").kind, PositionKind::kNone);
  EXPECT_EQ(named(model, "full_attention").layers, (Layers{3, 7}));
  EXPECT_EQ(named(model, "sliding_attention").kind, PositionKind::kRotary);
}

TEST(LayerGroups, GiveModernBertItsTwoThetas) {
  const Model model = model_of(R"({"model_type":"modernbert","num_hidden_layers":6,
      "global_attn_every_n_layers":3,"global_rope_theta":160000.0,"local_rope_theta":10000.0})");
  EXPECT_EQ(named(model, "full_attention").layers, (Layers{0, 3}));
  EXPECT_EQ(named(model, "full_attention").rope.theta, 160000.0);
  EXPECT_EQ(named(model, "sliding_attention").rope.theta, 10000.0);
}

TEST(LayerGroups, JoinLayersThatDifferInTheirWindowOnly) {
  const Model model = model_of(R"({"model_type":"gpt_oss","num_hidden_layers":2,
      "layer_types":["sliding_attention","full_attention"]})");
  EXPECT_EQ(model.groups.size(), 1U);
}

TEST(LayerGroups, RefuseListsThatAreTooShort) {
  expect_error(ErrorCode::kMalformed, "/no_rope_layers: must have 4 entries", [] {
    model_of(R"({"model_type":"smollm3","num_hidden_layers":4,"no_rope_layers":[1]})");
  });
  expect_error(ErrorCode::kMalformed, "/layer_types", [] {
    model_of(R"({"model_type":"gemma3_text","num_hidden_layers":4,
        "layer_types":["full_attention"]})");
  });
}

}  // namespace
}  // namespace sextant
