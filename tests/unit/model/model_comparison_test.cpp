// SPDX-License-Identifier: Apache-2.0
#include "model/model_comparison.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "model/extension.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

Model rotary_model(const RopeKeys& keys, Index head_dim = 64) {
  Model model;
  model.source = "model";
  model.family = "llama";
  model.layers = 4;
  model.heads = model.kv_heads = 8;
  model.head_dim = head_dim;
  model.hidden = 8 * head_dim;
  model.max_positions = 4096;
  model.groups = {{.layers = {0, 1, 2, 3}, .kind = PositionKind::kRotary, .rope = keys}};
  return model;
}

const ComparedFact& fact(const GroupComparison& group, std::string_view what) {
  static const ComparedFact none;
  const auto found = std::ranges::find(group.facts, what, &ComparedFact::what);
  EXPECT_NE(found, group.facts.end()) << what;
  return found == group.facts.end() ? none : *found;
}

TEST(CompareModels, IsEqualToItself) {
  const Model model = rotary_model({.theta = 10000.0});
  const ModelComparison same = compare_models({model}, {model});
  EXPECT_TRUE(same.equal());
  EXPECT_EQ(same.first_fingerprint, same.second_fingerprint);
  ASSERT_EQ(same.groups.size(), 1U);
  EXPECT_EQ(same.groups[0].layers, (std::vector<Index>{0, 1, 2, 3}));
}

TEST(CompareModels, MatchesGroupsByLayer) {
  const Model first = rotary_model({.theta = 10000.0});
  Model second = first;
  second.groups = {{.name = "full_attention",
                    .layers = {0, 2},
                    .kind = PositionKind::kRotary,
                    .rope = {.theta = 1e6}},
                   {.name = "sliding_attention",
                    .layers = {1, 3},
                    .kind = PositionKind::kRotary,
                    .rope = {.theta = 10000.0}}};
  const ModelComparison found = compare_models({first}, {second});
  ASSERT_EQ(found.groups.size(), 2U);
  EXPECT_EQ(found.groups[0].layers, (std::vector<Index>{0, 2}));
  EXPECT_FALSE(found.groups[0].equal());
  EXPECT_EQ(found.groups[1].layers, (std::vector<Index>{1, 3}));
  EXPECT_TRUE(found.groups[1].equal());
  EXPECT_FALSE(found.equal());
}

TEST(CompareModels, MissesLayersThatOneModelLacks) {
  const Model first = rotary_model({.theta = 10000.0});
  Model second = first;
  second.layers = 3;
  second.groups[0].layers = {0, 1, 2};
  const ModelComparison found = compare_models({first}, {second});
  ASSERT_EQ(found.groups.size(), 2U);
  EXPECT_TRUE(found.groups[0].equal());
  EXPECT_EQ(found.groups[1].layers, std::vector<Index>{3});
  EXPECT_FALSE(found.groups[1].equal());
}

// gpt-oss: the ramp is 8.0928..17.3980 without rounding, which ggml does always: 8..18.
TEST(CompareModels, ShowsWhereEnginesRoundTheRamp) {
  const Model model = rotary_model({.type = "yarn",
                                    .theta = 150000.0,
                                    .factor = 32.0,
                                    .original = 4096.0,
                                    .beta_fast = 32.0,
                                    .beta_slow = 1.0,
                                    .truncate = false});
  const ModelComparison found =
      compare_models({model, Engine::kHuggingFace}, {model, Engine::kLlamaCpp});
  ASSERT_EQ(found.groups.size(), 1U);
  ASSERT_TRUE(found.groups[0].rotary);
  EXPECT_EQ(found.groups[0].rotary.value_or(OperatorComparison{}).differing,
            (std::vector<Index>{9, 10, 11, 12, 13, 14, 15, 16, 17}));
  EXPECT_NE(found.first_fingerprint, found.second_fingerprint);
}

TEST(CompareModels, JudgesThePairingOfModelsButNotOfAConvertedFile) {
  const Model half = rotary_model({.theta = 10000.0});
  Model interleaved = half;
  interleaved.pairing = Pairing::kInterleaved;
  EXPECT_FALSE(compare_models({half}, {interleaved}).equal());
  interleaved.source = "model.gguf";
  interleaved.gguf = true;
  EXPECT_TRUE(compare_models({half}, {interleaved}).equal());
  interleaved.groups[0].rope.theta = 20000.0;
  EXPECT_FALSE(compare_models({half}, {interleaved}).equal());
}

TEST(CompareModels, ComparesSlopesAndTables) {
  Model alibi = rotary_model({});
  alibi.groups = {{.kind = PositionKind::kAlibi}};
  Model steeper = alibi;
  steeper.alibi_bias_max = 4.0;
  const ModelComparison slopes = compare_models({alibi}, {steeper});
  EXPECT_FALSE(fact(slopes.groups[0], "slopes").agree);
  EXPECT_EQ(fact(slopes.groups[0], "slopes").first.substr(0, 8), "0.5 0.25");  // 2^-h of 8 heads

  Model learned = alibi;
  learned.groups = {{.kind = PositionKind::kLearned}};
  learned.table_rows = 514;
  learned.first_row = 2;
  Model shifted = learned;
  shifted.first_row = 0;
  EXPECT_FALSE(fact(compare_models({learned}, {shifted}).groups[0], "first_row").agree);
  EXPECT_TRUE(compare_models({learned}, {learned}).equal());
  EXPECT_FALSE(compare_models({learned}, {alibi}).equal());
}

TEST(CompareModels, RefusesAbsurdNumbersOfLayers) {
  Model model = rotary_model({.theta = 10000.0});
  model.layers = Index{1} << 40;
  expect_error(ErrorCode::kRefused, "layers", [&] { compare_models({model}, {model}); });
}

TEST(ExtensionSubject, StartsFromTheOriginalLengthOfAnExtendedModel) {
  Model model = rotary_model({.pointer = "/rope_scaling",
                              .type = "llama3",
                              .theta = 500000.0,
                              .factor = 8.0,
                              .original = 8192.0,
                              .low_freq_factor = 1.0,
                              .high_freq_factor = 4.0},
                             128);
  model.max_positions = 131072;
  const ExtensionSubject subject = extension_subject(model, 262144);
  EXPECT_EQ(subject.trained, 8192);
  EXPECT_EQ(subject.spec, "rope(base=500000)");
  EXPECT_TRUE(subject.present);
  EXPECT_FALSE(subject.notes.empty());
}

TEST(ExtensionSubject, TakesLayersOfFullAttention) {
  Model model = rotary_model({.theta = 10000.0});
  model.groups = {{.name = "sliding_attention",
                   .layers = {0, 1, 2},
                   .kind = PositionKind::kRotary,
                   .rope = {.theta = 10000.0}},
                  {.name = "full_attention",
                   .layers = {3},
                   .kind = PositionKind::kRotary,
                   .rope = {.theta = 1e6}}};
  EXPECT_EQ(extension_subject(model, 8192).spec, "rope(base=1000000)");
}

TEST(ExtensionSubject, RefusesWhatCannotBeExtended) {
  Model model = rotary_model({.theta = 10000.0});
  expect_error(ErrorCode::kUsage, "trained length 4096", [&] { extension_subject(model, 4096); });
  expect_error(ErrorCode::kUsage, "at most",
               [&] { extension_subject(model, kLongestExtension + 1); });
  model.groups[0].kind = PositionKind::kLearned;
  expect_error(ErrorCode::kUsage, "nothing to extend", [&] { extension_subject(model, 8192); });
  model.groups[0].kind = PositionKind::kRotary;
  model.max_positions = 0;
  expect_error(ErrorCode::kUsage, "trained at", [&] { extension_subject(model, 8192); });
}

}  // namespace
}  // namespace sextant
