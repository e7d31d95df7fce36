// SPDX-License-Identifier: Apache-2.0
#include "run/training_page.h"

#include <gtest/gtest.h>

#include <array>

#include "io/npy.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

// Two encodings with one finished trial each, in the folders "rope" and "none".
TrainingRun run_of(Index layers, Index heads, Index attention_length) {
  TrainingRun run;
  run.common.test_lengths = {50};
  run.common.model.layers = layers;
  run.common.model.heads = heads;
  run.common.attention_length = attention_length;
  run.seeds = 1;
  run.encodings = {"rope", "none"};
  for (const std::string& encoding : run.encodings) {
    TrialOutcome outcome{.trial = run.common, .folder = encoding};
    outcome.trial.encoding = encoding;
    outcome.result = TrialResult{.trial = outcome.trial,
                                 .curve = {{.step = 1, .loss = 2.0}},
                                 .evaluations = {{.length = 50, .loss = 0.5}}};
    run.outcomes.push_back(outcome);
  }
  run.findings = findings(run.outcomes, run.asked);
  return run;
}

Json page_of(const TrainingRun& run, const std::filesystem::path& folder) {
  Json document;
  add_training(document, run);
  return training_page(run, document, folder);
}

// An array [layers, heads, n, n] of float whose value is the number of its map, plus `step` for
// each row.
std::string attention_file(Index layers, Index heads, Index n, float step) {
  std::string bytes = npy_header("<f4", std::array<Index, 4>{layers, heads, n, n});
  for (Index map = 0; map < layers * heads; ++map) {
    for (Index i = 0; i < n * n; ++i) {
      const float value = static_cast<float>(map) + step * static_cast<float>(i / n);
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
  }
  return bytes;
}

TEST(TrainingPage, ThinsCurvesAndKeepsTheirLastPoint) {
  TrainingRun run = run_of(1, 1, 0);
  run.outcomes[0].result->curve.clear();
  for (Index step = 1; step <= 1000; ++step)
    run.outcomes[0].result->curve.push_back({step, 1.0 / static_cast<double>(step)});
  const Json page = page_of(run, ".");
  const Json& curve = page["curves"][0];
  EXPECT_EQ(curve["step"].size(), 200U);
  EXPECT_EQ(curve["step"].back(), 1000);
  EXPECT_EQ(curve["loss"].back(), 0.001);
  EXPECT_EQ(page["curves"][1]["step"], Json{1});
}

TEST(TrainingPage, ShowsMeansOfNeighbouringPositions) {
  TrainingRun run = run_of(1, 1, 0);
  Vector& losses = run.outcomes[1].result->evaluations[0].loss_by_position;
  for (Index i = 0; i < 400; ++i) losses.push_back(static_cast<double>(i));
  const Json page = page_of(run, ".");
  ASSERT_EQ(page["positions"].size(), 1U);
  const Json& line = page["positions"][0];
  EXPECT_EQ(line["encoding"], "none");
  EXPECT_EQ(line["length"], 50);
  ASSERT_EQ(line["position"].size(), 200U);
  EXPECT_EQ(line["position"][7], 14);
  EXPECT_EQ(line["loss"][7], 14.5) << "the mean of 14 and 15";
}

TEST(TrainingPage, HasATrialOnceWithItsEnd) {
  TrainingRun run = run_of(1, 1, 0);
  run.common.test_lengths = {50, 100};
  run.outcomes[1].result.reset();
  run.outcomes[1].error = "exit status 7";
  const Json page = page_of(run, ".");
  ASSERT_EQ(page["trials"].size(), 2U);
  EXPECT_EQ(page["trials"][0]["end"], "finished");
  EXPECT_EQ(page["trials"][1]["fault"], "exit status 7");
  EXPECT_TRUE(page["attention"].is_null());
  EXPECT_FALSE(page.contains("rows"));
}

TEST(TrainingPage, ThinsAttentionToMeansOfSquares) {
  const TemporaryDirectory folder;
  for (const char* name : {"rope", "none"}) {
    std::filesystem::create_directory(folder / name);
    folder.write(std::string(name) + "/attention.npy", attention_file(1, 2, 128, 0.5F));
  }
  const Json attention = page_of(run_of(1, 2, 128), folder.path())["attention"];
  EXPECT_EQ(attention["length"], 128);
  EXPECT_EQ(attention["starts"].size(), 65U);
  EXPECT_EQ(attention["starts"].back(), 128);
  ASSERT_EQ(attention["maps"].size(), 4U);
  const Json& map = attention["maps"][1];
  EXPECT_EQ(map["head"], 1);
  ASSERT_EQ(map["values"].size(), 64U * 64U);
  // Rows 2a and 2a + 1 have 1 + a and 1.5 + a.
  EXPECT_EQ(map["values"][0], 1.25);
  EXPECT_EQ(map["values"][64 * 3], 4.25);
}

TEST(TrainingPage, HasABoundedNumberOfMaps) {
  const TemporaryDirectory folder;
  for (const char* name : {"rope", "none"}) {
    std::filesystem::create_directory(folder / name);
    folder.write(std::string(name) + "/attention.npy", attention_file(8, 10, 2, 0.0F));
  }
  const Json attention = page_of(run_of(8, 10, 2), folder.path())["attention"];
  ASSERT_EQ(attention["maps"].size(), 64U);
  for (const Json& map : attention["maps"]) {
    const Index number = 10 * map["layer"].get<Index>() + map["head"].get<Index>();
    EXPECT_EQ(map["values"][0], static_cast<double>(number));
  }
}

TEST(TrainingPage, SaysWhyAnEncodingHasNoMap) {
  const TemporaryDirectory folder;
  std::filesystem::create_directory(folder / "none");
  folder.write("none/attention.npy", attention_file(1, 1, 3, 0.0F));
  const Json attention = page_of(run_of(1, 1, 4), folder.path())["attention"];
  EXPECT_TRUE(attention["maps"].empty());
  ASSERT_EQ(attention["missing"].size(), 2U);
  for (const Json& each : attention["missing"])
    EXPECT_EQ(each["reason"].get<std::string>().rfind("attention.npy: ", 0), 0U) << each["reason"];
  EXPECT_NE(attention["missing"][1]["reason"].get<std::string>().find("[1, 1, 4, 4]"),
            std::string::npos);
}

}  // namespace
}  // namespace sextant
