// SPDX-License-Identifier: Apache-2.0
#include "run/trial_document.h"

#include "base/text.h"
#include "support/expect_error.h"

namespace sextant {
namespace {

TrainingRun small_run() {
  TrainingRun run;
  run.common.test_lengths = {50, 100};
  run.common.corpus.inputs = {"some/where/text.txt"};
  run.seeds = 1;
  run.encodings = {"rope", "table:some/where/rows.npy"};
  run.baselines = {{50, {{.name = "best constant", .value = 0.25, .caution = "too low"}}},
                   {100, {}}};
  for (const std::string& encoding : run.encodings) {
    TrialOutcome outcome{.trial = run.common, .folder = "f"};
    outcome.trial.encoding = encoding;
    run.outcomes.push_back(outcome);
  }
  run.outcomes[0].result =
      TrialResult{.trial = run.outcomes[0].trial,
                  .curve = {{.step = 1, .loss = 2.0}, {.step = 2, .loss = 1.0}},
                  .evaluations = {{.length = 50, .loss = 0.125, .loss_by_position = {0.1, 0.15}},
                                  {.length = 100, .loss = 0.5}},
                  .steps_per_second = 12345.5,
                  .framework = "libtorch 0"};
  run.outcomes[1].error = "exit status 7";
  run.findings = findings(run.outcomes, run.asked);
  return run;
}

TEST(AddTraining, HasARowForEachTrialAndLength) {
  Json document = {{"version", "0"}};
  add_training(document, small_run());
  ASSERT_EQ(document["rows"].size(), 4U);
  EXPECT_EQ(document["rows"][0]["value"], 0.125);
  EXPECT_EQ(document["rows"][0]["loss_by_position"], (Json{0.1, 0.15}));
  EXPECT_EQ(document["rows"][1]["loss"], 0.5);
  EXPECT_TRUE(document["rows"][1]["accuracy"].is_null());
  EXPECT_EQ(document["rows"][2]["end"], "failed");
  EXPECT_EQ(document["rows"][2]["fault"], "exit status 7");
  EXPECT_TRUE(document["rows"][2]["value"].is_null());
  ASSERT_EQ(document["summary"].size(), 2U);
  EXPECT_EQ(document["summary"][0]["mean"], 0.125);
  EXPECT_TRUE(document["summary"][0]["sd"].is_null()) << "one seed has no spread";
  EXPECT_EQ(document["baselines"][0]["value"], 0.25);
  EXPECT_EQ(document["baselines"][0]["caution"], "too low");
  EXPECT_EQ(document["curves"].size(), 1U);
  EXPECT_EQ(document["curves"][0]["loss"], (Json{2.0, 1.0}));
  EXPECT_EQ(document["provenance"]["frameworks"], Json{"libtorch 0"});
}

TEST(AddTraining, TellsNoPathAndNoTime) {
  Json document = {{"version", "0"}};
  add_training(document, small_run());
  const std::string text = to_text(document);
  EXPECT_EQ(text.find("some/where"), std::string::npos);
  EXPECT_EQ(text.find("12345.5"), std::string::npos);
  EXPECT_NE(text.find("rows.npy"), std::string::npos);
}

TEST(TrainingLines, SayEachOnItsOwnWhatTheTrialWas) {
  TrainingRun run = small_run();
  run.common.model.layers = 7;
  run.common.schedule.steps = 321;
  run.corpus_hash = "00ff";
  Json document = {{"version", "0"}};
  add_training(document, run);
  const std::string lines = training_lines(document);
  const std::vector<std::string_view> split_lines = split(lines, '\n');
  ASSERT_EQ(split_lines.size(), 1U + 4U + 1U);  // description, rows, end
  for (std::size_t i = 1; i < 5; ++i) {
    const Json line = Json::parse(split_lines[i]);
    EXPECT_EQ(line["corpus"], "00ff");
    EXPECT_EQ(line["options"]["model"]["layers"], 7);
    EXPECT_EQ(line["options"]["schedule"]["steps"], 321);
    EXPECT_EQ(line["options"]["train_length"], 50);
    EXPECT_EQ(line["options"]["corpus"]["inputs"], Json{"text.txt"});
    EXPECT_FALSE(line["options"].contains("seeds")) << "the seed is that of the row";
    EXPECT_EQ(line["values"]["seed"], 1);
    EXPECT_FALSE(line["provenance"]["compiler"].get<std::string>().empty());
    EXPECT_FALSE(line["provenance"]["libraries"].empty());
    EXPECT_EQ(line["values"]["framework"], i < 3 ? Json("libtorch 0") : Json());
  }
}

TEST(TrainingLines, KeepWhatOtherAnalysesWrote) {
  Json document = {{"version", "0"}};
  add_training(document, small_run());
  const std::string other = R"({"schema":1,"analysis":"stress","values":1})";
  const std::string once =
      lines_of_others(other + "\n", "results.jsonl") + training_lines(document);
  EXPECT_EQ(once.find(other + "\n"), 0U);
  EXPECT_EQ(split(once, '\n').size(), 1U + 1U + 4U + 1U);  // other, description, rows, end
  EXPECT_EQ(lines_of_others(once, "results.jsonl") + training_lines(document), once);
  const std::string odd = "{\"analysis\":5}\n";
  EXPECT_EQ(lines_of_others(odd, "results.jsonl"), odd);
  expect_error(ErrorCode::kMalformed, "results.jsonl",
               [&] { lines_of_others("{}\n{\n", "results.jsonl"); });
}

}  // namespace
}  // namespace sextant
