// SPDX-License-Identifier: Apache-2.0
#include "run/model_page.h"

#include <gtest/gtest.h>

namespace sextant {
namespace {

Model rotary_model(const RopeKeys& rope, Index max_positions) {
  Model model;
  model.source = "models/example/config.json";
  model.family = "llama";
  model.layers = 2;
  model.hidden = 512;
  model.heads = 4;
  model.kv_heads = 4;
  model.head_dim = 128;
  model.max_positions = max_positions;
  model.groups.push_back(
      {.name = "all", .layers = {0, 1}, .kind = PositionKind::kRotary, .rope = rope});
  return model;
}

RopeKeys yarn() {
  RopeKeys keys;
  keys.type = "yarn";
  keys.theta = 10000.0;
  keys.factor = 8.0;
  keys.original = 4096.0;
  return keys;
}

Json page_of(const Model& model, Index length = 0) {
  return model_page(read_positions(model, Engine::kHuggingFace, length));
}

TEST(ModelPage, NamesTheFileWithoutItsFolder) {
  const Json page = page_of(rotary_model({}, 4096));
  EXPECT_EQ(page["source"], "config.json");
  EXPECT_EQ(page["family"], "llama");
  EXPECT_EQ(page["max_positions"], 4096);
  EXPECT_EQ(page["engine"], "hf");
  EXPECT_TRUE(page["table"].is_null());
}

TEST(ModelPage, OfAnExtendedModelLooksAtItsLongestPosition) {
  const Json page = page_of(rotary_model(yarn(), 32768));
  const Json& rotary = page["groups"][0]["rotary"];
  EXPECT_EQ(rotary["trained"], 4096);
  EXPECT_EQ(rotary["to"], 32768);
  EXPECT_NE(rotary["wavelength"][63], rotary["trained_wavelength"][63]);
  EXPECT_EQ(rotary["wavelength"][0], rotary["trained_wavelength"][0]);
}

TEST(ModelPage, OfAnUnscaledModelLooksAtFourTimesItsLength) {
  const Json page = page_of(rotary_model({}, 2048));
  const Json& rotary = page["groups"][0]["rotary"];
  EXPECT_EQ(rotary["trained"], 2048);
  EXPECT_EQ(rotary["to"], 8192);
  EXPECT_EQ(rotary["wavelength"], rotary["trained_wavelength"]);
}

TEST(ModelPage, LooksAtTheLengthThatWasAsked) {
  const Json page = page_of(rotary_model({}, 2048), 5000);
  EXPECT_EQ(page["groups"][0]["rotary"]["to"], 5000);
}

TEST(ModelPage, AGroupThatCannotBeEvaluatedSaysWhy) {
  RopeKeys keys = yarn();
  keys.factor.reset();
  const Json page = page_of(rotary_model(keys, 4096));
  EXPECT_TRUE(page["groups"][0]["rotary"].is_null());
  EXPECT_TRUE(page["groups"][0]["error"].is_string());
  EXPECT_TRUE(page["fingerprint"].is_null());
}

TEST(ModelPage, LayersWithoutRotationHaveASpecAlone) {
  Model model = rotary_model({}, 2048);
  model.groups.push_back({.name = "no encoding", .layers = {1}});
  const Json page = page_of(model);
  EXPECT_EQ(page["groups"][1]["kind"], "none");
  EXPECT_EQ(page["groups"][1]["spec"], "none");
  EXPECT_TRUE(page["groups"][1]["rotary"].is_null());
}

}  // namespace
}  // namespace sextant
