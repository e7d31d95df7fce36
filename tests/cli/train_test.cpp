// SPDX-License-Identifier: Apache-2.0
// sextant train as a user meets it, with a script in the place of the program that trains.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>

#include "support/fake_lab.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

// Loss base + seed^2 / 100 at length 4 and twice that at 8. ENCODING:SEED of WILD is not finite at
// 8, one of the pattern LOST is not finite in training, that of STOPPED stops its parent, by two
// signals at once as `timeout` does, and waits for the end.
constexpr const char* kTrainingLab = R"sh(
if [ "$encoding:$seed" = "$STOPPED" ]; then
  trap 'sleep 0.2; touch "$folder/saved"; exit 130' TERM
  kill -TERM $PPID; kill -TERM $PPID
  while :; do sleep 0.01; done
fi
case "$encoding:$seed" in $WILD|$LOST) end="not finite"; fault="step 3: loss" ;; esac
case $encoding in none) base=0.5;; rope) base=0.1;; *) base=0.11;; esac
four=$(echo "$base $seed" | awk '{ printf "%.4f", $1 + $2 * $2 / 100 }')
eight=$(echo "$four" | awk '{ printf "%.4f", 2 * $1 }')
evaluations='{"length": 4, "loss": '$four', "loss_by_position": []},
  {"length": 8, "loss": '$eight', "loss_by_position": []}'
case "$encoding:$seed" in
  $LOST) evaluations= ;;
  $WILD) evaluations='{"length": 4, "loss": '$four', "loss_by_position": []}' ;;
esac
)sh";

class Train : public WithFakeLab {
 protected:
  Train() : WithFakeLab(kTrainingLab) {}
  CommandResult train(const Words& more, const std::string& variable = "NOTHING=") const {
    Words words = {"train",   "running_sum", "--encodings", "none,rope,alibi", "--train",
                   "4",       "--test",      "4,8",         "--steps",         "4",
                   "--seeds", "3",           "-o",          output()};
    words.insert(words.end(), more.begin(), more.end());
    return sextant_command(words, environment(variable));
  }
};

TEST_F(Train, ComparesEncodingsOverSeeds) {
  const CommandResult result = train({"--json", "--quiet", "--jobs", "2"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["verb"], "train");
  EXPECT_EQ(json["task"], "running_sum");
  EXPECT_EQ(json["options"]["seeds"], 3);
  EXPECT_EQ(json["options"]["model"]["causal"], false);
  ASSERT_EQ(json["rows"].size(), 3U * 3U * 2U);
  for (const auto& row : json["rows"]) {
    const double base = row["encoding"] == "none" ? 0.5 : row["encoding"] == "rope" ? 0.1 : 0.11;
    const auto seed = row["seed"].get<double>();
    const double expected = (base + seed * seed / 100.0) * (row["length"] == 4 ? 1.0 : 2.0);
    EXPECT_NEAR(row["value"].get<double>(), expected, 1e-9);
    EXPECT_EQ(row["end"], "finished");
  }
  // Seeds 1, 2, 3 add .01, .04, .09: mean .14 / 3, median .04, quartiles half-way to it.
  const auto& best = json["summary"][0];
  EXPECT_EQ(best["encoding"], "rope");
  EXPECT_EQ(best["length"], 4);
  EXPECT_NEAR(best["mean"].get<double>(), 0.1 + 0.14 / 3.0, 1e-9);
  EXPECT_NEAR(best["median"].get<double>(), 0.14, 1e-9);
  EXPECT_NEAR(best["q1"].get<double>(), 0.125, 1e-9);
  EXPECT_NEAR(best["q3"].get<double>(), 0.165, 1e-9);
  EXPECT_EQ(best["seeds"], 3);
  ASSERT_EQ(json["comparisons"].size(), 2U * 3U);
  EXPECT_NEAR(json["comparisons"][0]["difference"].get<double>(), 0.01, 1e-9);
  EXPECT_EQ(json["comparisons"][0]["p_wilcoxon"], 0.25) << "two of eight sign patterns";
  EXPECT_EQ(json["baselines"][0]["name"], "best constant");
  EXPECT_EQ(json["curves"].size(), 9U);
  EXPECT_EQ(content_of(folder_ / "out/train.json"), result.out);
  EXPECT_NE(content_of(folder_ / "out/results.jsonl").find("\"analysis\":\"training\""),
            std::string::npos);
}

TEST_F(Train, ShowsTablesWithBaselinesAndWords) {
  const CommandResult result = train({});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* part : {"Length 4", "Length 8", "* best constant", "* position only",
                           "* best equivariant", "against rope", "quartiles", "p (Holm)"})
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
}

TEST_F(Train, PrintsTheBiasOfABaselineBesideIt) {
  std::ofstream texts(folder_ / "texts.txt");
  for (int i = 0; i < 40; ++i) {
    for (int k = 0; k < 8; ++k) texts << " w" << 8 * i + k;
    texts << "\n";
  }
  texts.close();
  const CommandResult result = sextant_command(
      {"train", "mlm", (folder_ / "texts.txt").string(), "--encodings", "none", "--train", "4",
       "--test", "4,8", "--steps", "4", "--seeds", "1", "-o", output()},
      environment("BROKEN=none:1"));  // baselines need no trial
  ASSERT_EQ(result.status, 7) << result.err;
  // As many different tokens as texts at each position, four for the test: (4 - 1) / (2 x 4).
  const std::size_t from = result.out.find("* position only");
  ASSERT_NE(from, std::string::npos) << result.out;
  const std::string line = result.out.substr(from, result.out.find('\n', from) - from);
  EXPECT_NE(line.find("too low by about 0.38"), std::string::npos) << line;
}

TEST_F(Train, KeepsFinishedTrialsOnResume) {
  ASSERT_EQ(train({}).status, 0);
  EXPECT_EQ(runs(), 9);
  const CommandResult refused = train({});
  EXPECT_EQ(refused.status, 6);
  EXPECT_NE(refused.err.find("--resume"), std::string::npos) << refused.err;
  const std::string before = content_of(folder_ / "out/train.json");
  const CommandResult resumed = train({"--resume"});
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("9 of 9 trials are finished"), std::string::npos) << resumed.err;
  EXPECT_EQ(runs(), 9);
  EXPECT_EQ(content_of(folder_ / "out/train.json"), before);
  EXPECT_EQ(train({"--force"}).status, 0);
  EXPECT_EQ(runs(), 18);
}

TEST_F(Train, HasNoDifferenceWithoutACommonSeed) {
  const auto run = [this](const Words& more) {
    Words words = {"train",   "running_sum", "--encodings", "rope,none", "--train",
                   "4",       "--test",      "8",           "--steps",   "4",
                   "--seeds", "2",           "--force",     "-o",        output()};
    words.insert(words.end(), more.begin(), more.end());
    CommandOptions options = environment("BROKEN=rope:1");
    options.environment.emplace_back("WILD=none:2");
    return sextant_command(words, options);
  };
  const auto compared = nlohmann::json::parse(run({"--json"}).out)["comparisons"];
  ASSERT_EQ(compared.size(), 1U);
  EXPECT_EQ(compared[0]["pairs"], 0);
  EXPECT_TRUE(compared[0]["difference"].is_null()) << compared;
  const std::string text = run({}).out;
  // No difference and no pairs.
  const std::string line = "         -   0\n";
  EXPECT_NE(text.find(line), std::string::npos) << text;
}

TEST_F(Train, GoesOnWhenATrialFails) {
  const CommandResult result = train({"--json"}, "BROKEN=rope:2");
  EXPECT_EQ(result.status, 7);
  EXPECT_NE(result.err.find("rope seed 2 failed: exit status 7: sextant-lab: error: it broke"),
            std::string::npos)
      << result.err;
  const auto json = nlohmann::json::parse(result.out);
  int failed = 0;
  for (const auto& row : json["rows"]) {
    if (row["end"] != "failed") continue;
    ++failed;
    EXPECT_EQ(row["encoding"], "rope");
    EXPECT_EQ(row["seed"], 2);
    EXPECT_TRUE(row["value"].is_null());
  }
  EXPECT_EQ(failed, 2);
  // Only what failed runs again, and then the document is that of a run without a failure.
  EXPECT_EQ(train({"--resume"}).status, 0);
  EXPECT_EQ(runs(), 10);
  const std::string mended = content_of(folder_ / "out/train.json");
  ASSERT_EQ(train({"--force"}).status, 0);
  EXPECT_EQ(content_of(folder_ / "out/train.json"), mended);
}

TEST_F(Train, NamesTrialsThatWereNotFinite) {
  const CommandResult result = train({}, "WILD=alibi:1");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("alibi seed 1: not finite: step 3: loss"), std::string::npos)
      << result.out;
  const auto json = nlohmann::json::parse(content_of(folder_ / "out/train.json"));
  for (const auto& row : json["rows"]) {
    const bool wild = row["encoding"] == "alibi" && row["seed"] == 1;
    EXPECT_EQ(row["end"], wild ? "not finite" : "finished");
    EXPECT_EQ(row["value"].is_null(), wild && row["length"] == 8) << row;
  }
}

TEST_F(Train, WithoutASingleNumberIsANumericFailure) {
  const CommandResult result = train({}, "LOST=*");
  EXPECT_EQ(result.status, 7) << result.err;
  EXPECT_NE(result.err.find("no trial has a number"), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("alibi seed 3: not finite: step 3: loss"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "out/train.json")) << "the reasons are kept";
}

TEST_F(Train, WritesAPageOfTheTraining) {
  const CommandResult result = train({});
  ASSERT_EQ(result.status, 0) << result.err;
  if (result.err.find("this build has no page") != std::string::npos) {
    EXPECT_FALSE(std::filesystem::exists(folder_ / "out/report.html"));
    GTEST_SKIP() << "npm was not found";
  }
  const std::string page = content_of(folder_ / "out/report.html");
  EXPECT_NE(page.find(R"("training":{"task":"running_sum")"), std::string::npos);
  EXPECT_EQ(page.find(folder_.path().string()), std::string::npos) << "it tells no path";
}

TEST_F(Train, KeepsThePageOfAReport) {
  std::filesystem::create_directory(folder_ / "out");
  folder_.write("out/report.json", "{}");
  folder_.write("out/report.html", "a report");
  ASSERT_EQ(train({}).status, 0);
  EXPECT_EQ(content_of(folder_ / "out/report.html"), "a report");
}

TEST_F(Train, StopsItsTrialsAndGoesOnLater) {
  const CommandResult result = train({"--jobs", "1"}, "STOPPED=rope:1");
  EXPECT_EQ(result.status, 8) << result.err;
  EXPECT_NE(result.err.find("--resume"), std::string::npos) << result.err;
  bool saved = false;
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder_ / "out"))
    saved = saved || each.path().filename() == "saved";
  EXPECT_TRUE(saved) << "the trial got its signal and was waited for";
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/train.json"));
  EXPECT_EQ(runs(), 2);
  EXPECT_EQ(train({"--resume"}).status, 0);
  EXPECT_EQ(runs(), 10) << "one was finished, one stopped, seven had not begun";
}

TEST_F(Train, SaysWhereTheLabProgramIsToComeFrom) {
  expect_failure(4, "SEXTANT_LAB", {"train", "running_sum", "-o", output()},
                 environment("NOTHING=", "no such program"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(Train, SaysOnceWhatSeveralTrialsNote) {
  const CommandResult result = train({}, "NOTES=\"not used: pooler\"");
  EXPECT_EQ(result.status, 0) << result.err;
  const std::size_t first = result.err.find("not used: pooler");
  ASSERT_NE(first, std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("not used: pooler", first + 1), std::string::npos);
}

TEST_F(Train, TakesAPublishedModelAndItsSchedule) {
  const std::string weights = folder_.write("model.safetensors", "read by the lab alone").string();
  const CommandResult result = train(
      {"--model", "bert-base", "--layers", "2", "--jobs", "1", "--weights", weights, "--json"});
  // The script does not know the content of the weights, so that its results are refused.
  EXPECT_NE(result.err.find("a file that the trial names is not the one of then"),
            std::string::npos)
      << result.err;
  const auto options = nlohmann::json::parse(result.out)["options"];
  EXPECT_EQ(options["frame"], "bert");
  EXPECT_EQ(options["weights"], "model.safetensors");  // without its folder
  EXPECT_EQ(options["model"]["layers"], 2);
  EXPECT_EQ(options["model"]["dim"], 768);
  EXPECT_EQ(options["model"]["norm_epsilon"], 1e-12);
  EXPECT_EQ(options["schedule"]["rate"], 2e-5);
  EXPECT_EQ(options["schedule"]["steps"], 4);
}

TEST_F(Train, TakesRangesOfTestLengths) {
  const auto lengths = [this](const std::string& test) {
    const CommandResult result =
        sextant_command({"train", "running_sum", "--encodings", "none", "--seeds", "1", "--train",
                         "4", "--test", test, "--json", "--force", "-o", output()},
                        environment("NOTHING="));
    EXPECT_EQ(result.status, 0) << result.err;
    return nlohmann::json::parse(result.out)["options"]["test_lengths"].get<std::vector<int>>();
  };
  EXPECT_EQ(lengths("1:5"), (std::vector<int>{1, 2, 3, 4, 5}));
  EXPECT_EQ(lengths("50,100:300:100"), (std::vector<int>{50, 100, 200, 300}));
  EXPECT_EQ(lengths("3:8:2,9:9:4,4"), (std::vector<int>{3, 5, 7, 9, 4}));
  EXPECT_EQ(lengths("1:1000").size(), 1000U);
}

TEST_F(Train, TakesTheShareOfTheStepsAfterWhichTheRateFalls) {
  const CommandResult result = train({"--decay-from", "0.25", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out)["options"]["schedule"]["decay_from"], 0.25);
  const CommandResult usual = train({"--json", "--force"});
  EXPECT_EQ(nlohmann::json::parse(usual.out)["options"]["schedule"]["decay_from"], 0.5);
}

TEST_F(Train, AsksTheLabProgramAboutWeightsBeforeTheFirstTrial) {
  const std::string weights = folder_.write("model.safetensors", "read by the lab alone").string();
  const CommandResult result =
      train({"--model", "bert-base", "--layers", "1", "--jobs", "1", "--weights", weights},
            "REFUSED=none: not there");
  EXPECT_EQ(result.status, 4);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("sextant: error: none: none: not there"), std::string::npos)
      << result.err;
  EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << "one line: " << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
  EXPECT_EQ(train({"--device", "cuda"}, "REFUSED=none: not there").status, 4);
  EXPECT_EQ(train({}, "REFUSED=none: not there").status, 0) << "there is nothing to ask";
}

TEST_F(Train, RefusesTrialsThatDoNotFitIntoTheMemory) {
  const auto refused = [this](const std::string& part, const Words& more) {
    Words words = {"train", "running_sum", "--encodings", "none",   "--seeds",
                   "2",     "-o",          output(),      "--jobs", "2"};
    words.insert(words.end(), more.begin(), more.end());
    expect_failure(5, part, words, environment());
  };
  refused("--dim", {"--dim", "65536"});
  refused("--train", {"--train", "200000", "--test", "50"});
  refused("--test", {"--test", "500000"});
  refused("--attention", {"--attention", "500000"});
  refused("lower --jobs", {"--mem", "300M"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(Train, TestsAClassifierOnEveryTextUnlessToldOtherwise) {
  std::string rows;
  for (int i = 0; i < 300; ++i) rows += fmt::format("{}\tword{} and word{}\n", i % 2, i, i + 1);
  const std::string file = folder_.write("texts.tsv", rows).string();
  const auto sequences = [&](const Words& more) {
    Words words = {"train",   "classify", file,    "--label-column", "1", "--encodings",
                   "none",    "--seeds",  "1",     "--train",        "4", "--json",
                   "--force", "-o",       output()};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = sextant_command(words, environment());
    return nlohmann::json::parse(result.out)["options"]["test_sequences"].get<int>();
  };
  const int all = sequences({});
  EXPECT_GT(all, 10);  // one in ten of 300, by a hash of the text
  EXPECT_LT(all, 60);
  EXPECT_EQ(sequences({"--test-sequences", "5"}), 5);
  EXPECT_EQ(sequences({"--test-sequences", "500"}), all) << "no text twice";
}

TEST_F(Train, ListsTheTasks) {
  const CommandResult text = sextant_command({"train", "--list"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("running_sum"), std::string::npos);
  const auto json = nlohmann::json::parse(sextant_command({"train", "--list", "--json"}).out);
  bool found = false;
  for (const auto& task : json["tasks"]) {
    EXPECT_FALSE(task["notes"].get<std::string>().empty()) << task["name"];
    found = found || task["name"] == "running_sum";
  }
  EXPECT_TRUE(found);
}

TEST_F(Train, HasEveryOptionThatTheCheckOfATrialNames) {
  const std::string help = sextant_command({"train", "--help"}).out;
  const std::string source =
      content_of(std::string(SEXTANT_SOURCE_DIR) + "/src/training/trial.cpp");
  const std::regex option("\"(--[a-z-]+)\"");
  int found = 0;
  for (std::sregex_iterator each(source.begin(), source.end(), option), end; each != end; ++each) {
    EXPECT_NE(help.find("  " + (*each)[1].str() + " "), std::string::npos) << (*each)[1];
    ++found;
  }
  EXPECT_GT(found, 20);
}

TEST_F(Train, RefusesWhatDoesNotFitBeforeTheFirstStep) {
  const auto refused = [this](const std::string& part, const Words& more) {
    Words words = {"train"};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"-o", output()});
    expect_failure(2, part, words, environment());
  };
  refused("--list", {});
  refused("did you mean 'running_sum'", {"runing_sum"});
  refused("did you mean 'rope'", {"running_sum", "--encodings", "none,roep"});
  refused("stands twice", {"running_sum", "--encodings", "none,none"});
  refused("50,100,200", {"running_sum", "--test", "50,x"});
  refused("50,100,200", {"running_sum", "--test", "50:"});
  refused("50,100,200", {"running_sum", "--test", "0:5"});
  refused("50,100,200", {"running_sum", "--test", "1:5:0"});
  refused("A:B:STEP", {"running_sum", "--test", "1:5:1:1"});
  refused("ends before it begins", {"running_sum", "--test", "9:8"});
  refused("more than 1000 lengths", {"running_sum", "--test", "1:1001"});
  refused("8 stands twice", {"running_sum", "--test", "8,2:10:2"});
  refused("--decay-from", {"running_sum", "--decay-from", "1.5"});
  refused("twice", {"running_sum", "--test", "50,50"});
  refused("--bidirectional", {"running_sum", "--causal", "--bidirectional"});
  refused("must be one of the encodings",
          {"running_sum", "--encodings", "none,rope", "--against", "alibi"});
  refused("accuracy needs classes", {"running_sum", "--metric", "accuracy"});
  refused("--heads", {"running_sum", "--heads", "3"});
  refused("learned", {"running_sum", "--encodings", "learned"});  // no row beyond training
  refused("--learn", {"running_sum", "--learn", "xl"});
  refused("takes no corpus", {"running_sum", "text.txt"});
  refused("must not go with --force", {"running_sum", "--resume", "--force"});
  refused("need --model bert-base", {"running_sum", "--weights", "model.safetensors"});
  refused("bert-base", {"running_sum", "--model", "bert-large"});
  refused("cpu, cuda or cuda:N", {"running_sum", "--device", "abacus"});
  refused("stands alone", {"running_sum", "--list"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

}  // namespace
}  // namespace sextant
