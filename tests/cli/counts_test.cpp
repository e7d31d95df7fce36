// SPDX-License-Identifier: Apache-2.0
// Counting in shards, merging, and studies of counts, as a user meets them.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/compressed.h"
#include "support/run_command.h"
#include "support/stopped_command.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;

const Words kCounting = {"--positions", "5", "--shuffles", "3"};

std::string sentence(int k) {
  std::string text = "start" + std::to_string(k % 5);
  for (int i = 1; i < 6; ++i) text += " w" + std::to_string((k * 7 + i * 11) % 23);
  return text + " end" + std::to_string(k);
}

class CountVerbs : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  std::string texts(const std::string& name, int sentences) const {
    std::string text;
    for (int k = 0; k < sentences; ++k) text += sentence(k) + "\n";
    return folder_.write(name, text).string();
  }

  static Words joined(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  void expect_ok(const Words& arguments) const {
    const CommandResult result = sextant_command(joined(arguments, {"--quiet"}));
    ASSERT_EQ(result.status, 0) << result.err;
  }

  // Counts the inputs in `count` shards, merges them from the last to the first and returns the
  // file.
  std::string merged(const Words& inputs, int count) const {
    Words parts;
    for (int i = 0; i < count; ++i) {
      const std::string shard = std::to_string(i) + "/" + std::to_string(count);
      const std::string part = file("part." + std::to_string(i) + ".counts");
      expect_ok(joined(joined({"count"}, inputs), {"--shard", shard, "-o", part, "--force"}));
      EXPECT_FALSE(std::filesystem::exists(part + ".checkpoint"));
      parts.insert(parts.begin(), part);
    }
    const std::string all = file("all" + std::to_string(count) + ".counts");
    expect_ok(joined(joined({"merge"}, parts), {"-o", all, "--force"}));
    return all;
  }

  std::string report(const Words& inputs, const std::string& name) const {
    expect_ok(joined(joined({"report"}, inputs),
                     {"--splits", "3", "--encodings", "rope,alibi", "-o", file(name), "--force"}));
    std::string all;
    for (const char* part : {"report.json", "results.jsonl", "rows.csv", "mds.safetensors"})
      all += content_of(folder_ / name / part);
    return all;
  }

  static std::string scored(const Words& inputs) {
    const CommandResult result = sextant_command(
        joined(joined({"score"}, inputs), {"--splits", "3", "--encodings", "rope", "--json"}));
    EXPECT_EQ(result.status, 0) << result.err;
    return result.out;
  }

  TemporaryDirectory folder_;
};

TEST_F(CountVerbs, GiveTheSameReportFromOneToSevenShards) {
  const Words inputs = joined({texts("a.txt", 300)}, kCounting);
  const std::string expected = report(inputs, "text");
  for (const int count : {1, 2, 3, 4, 5, 6, 7})
    EXPECT_TRUE(report({merged(inputs, count)}, "counts") == expected) << count << " shards";
}

TEST_F(CountVerbs, GiveTheSameScoresOfEveryFormatAndOfSeveralFiles) {
  std::string rows = "label\ttext\n", lines, table = "text,label\r\n";
  for (int k = 0; k < 200; ++k) {
    const std::string label = std::to_string(k % 30);
    rows += label + "\t" + sentence(k) + "\n";
    lines += "{\"text\": \"" + sentence(k + 3) + "\", \"label\": " + label + "}\n";
    table += "\"" + sentence(k + 5) + "\"," + label + "\r\n";
  }
  lines += "{\"text\": 1}\n";
  const std::string tsv = folder_.write("a.tsv", rows).string();
  const std::string packed = folder_.write("a.tsv.gz", gzip(rows)).string();
  const std::string jsonl = folder_.write("b.jsonl", lines).string();
  const std::string csv = folder_.write("c.csv", table).string();
  const Words columns = {"--text-column", "text", "--group-column", "label"};
  const std::vector<Words> corpora = {joined({tsv}, columns),
                                      joined({packed}, columns),
                                      joined({csv}, columns),
                                      {jsonl, "--skip-bad", "2"},
                                      {jsonl, texts("d.txt", 150), packed, "--skip-bad", "1"}};
  for (const Words& corpus : corpora) {
    const Words inputs = joined(corpus, joined(kCounting, {"--length", "any", "--seed", "4"}));
    EXPECT_EQ(scored({merged(inputs, 3)}), scored(inputs));
  }
}

TEST_F(CountVerbs, GiveTheSameScoresOfABuiltInCorpus) {
  const Words inputs = {"synthetic:drift(types=20,positions=6,sequences=400)", "--positions", "6"};
  EXPECT_EQ(scored({merged(inputs, 2)}), scored(inputs));
}

TEST_F(CountVerbs, GiveTheSameCountsAsOneShardOfOne) {
  const Words inputs = joined({texts("a.txt", 100)}, kCounting);
  expect_ok(joined(joined({"count"}, inputs), {"-o", file("whole.counts")}));
  EXPECT_EQ(content_of(merged(inputs, 1)), content_of(file("whole.counts")));
}

TEST_F(CountVerbs, SayWhatWasCounted) {
  const std::string text = texts("a.txt", 100), part = file("p.counts");
  const CommandResult result = sextant_command(
      joined({"count", text, "--shard", "1/3", "-o", part, "--json", "--quiet"}, kCounting));
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["verb"], "count");
  EXPECT_EQ(json["shards"], 3);
  EXPECT_EQ(json["present"], nlohmann::json({1}));
  EXPECT_EQ(json["missing"], nlohmann::json({0, 2}));
  EXPECT_EQ(json["positions"], 5);
  EXPECT_GT(json["sequences"], 20);
  const CommandResult lines = sextant_command({"merge", part, "-o", file("m.counts")});
  ASSERT_EQ(lines.status, 0) << lines.err;
  EXPECT_NE(lines.out.find("shard 1 of 3"), std::string::npos) << lines.out;
}

TEST_F(CountVerbs, TakeTheShardFromTheEnvironment) {
  const Words command =
      joined({"count", texts("a.txt", 60), "-o", file("e.{shard}.counts"), "--json"}, kCounting);
  const auto shard_of = [&](const std::string& word, const Words& variables) {
    CommandOptions options;
    options.environment.insert(options.environment.end(), variables.begin(), variables.end());
    const CommandResult result =
        sextant_command(joined(command, {"--force", "--quiet", "--shard", word}), options);
    EXPECT_EQ(result.status, 0) << result.err;
    const auto json = nlohmann::json::parse(result.out);
    EXPECT_EQ(json["file"], file("e." + json["present"][0].dump() + ".counts"));
    return json["present"][0].dump() + "/" + json["shards"].dump();
  };
  const Words array = {"SLURM_ARRAY_TASK_ID=7", "SLURM_ARRAY_TASK_COUNT=4",
                       "SLURM_ARRAY_TASK_MIN=5", "SLURM_ARRAY_TASK_MAX=8",
                       "SLURM_ARRAY_TASK_STEP=1"};
  EXPECT_EQ(shard_of("slurm-array", array), "2/4");
  EXPECT_EQ(shard_of("slurm", {"SLURM_PROCID=1", "SLURM_NTASKS=3"}), "1/3");
  EXPECT_EQ(shard_of("torchrun", {"RANK=0", "WORLD_SIZE=2"}), "0/2");
}

TEST_F(CountVerbs, RefuseAShardThatIsNone) {
  const Words command = {"count", texts("a.txt", 9), "-o", file("x.counts"), "--shard"};
  for (const char* shard : {"2/2", "-1/2", "1", "1/", "/2", "a/b", "0/0", "1/2/3", "0/9999999"})
    expect_failure(2, "--shard", joined(command, {shard}));
  expect_failure(2, "SLURM_ARRAY_TASK_ID, which is not set", joined(command, {"slurm-array"}));
  const auto with = [](const Words& variables) {
    CommandOptions options;
    options.environment.insert(options.environment.end(), variables.begin(), variables.end());
    return options;
  };
  expect_failure(2, "RANK, but it is 'x'", joined(command, {"torchrun"}),
                 with({"RANK=x", "WORLD_SIZE=2"}));
  expect_failure(2, "an array that is a range", joined(command, {"slurm-array"}),
                 with({"SLURM_ARRAY_TASK_ID=3", "SLURM_ARRAY_TASK_COUNT=2",
                       "SLURM_ARRAY_TASK_MIN=3", "SLURM_ARRAY_TASK_MAX=5"}));
  expect_failure(2, "does not go with shards", joined(command, {"0/2", "--limit", "3"}));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.counts"));
}

TEST_F(CountVerbs, KeepWhatIsThereUnlessForced) {
  const std::string text = texts("a.txt", 20), mine = folder_.write("x.counts", "mine").string();
  expect_failure(6, "exists", {"count", text, "-o", mine});
  const std::string part = file("p.counts");
  expect_ok({"count", text, "-o", part, "--positions", "4"});
  expect_failure(6, "exists", {"merge", part, "-o", mine});
  EXPECT_EQ(content_of(mine), "mine");
  expect_failure(2, "is an input", {"merge", part, "-o", part, "--force"});
  expect_failure(2, "must end in .counts", {"count", text, "-o", file("x.bin")});
  expect_failure(2, "must be given", {"count", text});
  expect_failure(2, "is counted already", {"count", part, "-o", file("y.counts")});
}

TEST_F(CountVerbs, FindTheirWorkDoneWhenStartedAgain) {
  const std::string text = texts("a.txt", 20), part = file("p.counts");
  const Words command = {"count", text, "-o", part, "--positions", "4", "--shard", "1/2"};
  expect_ok(command);
  const std::string bytes = content_of(part);
  expect_ok(joined(command, {"--resume"}));
  EXPECT_EQ(content_of(part), bytes);
  expect_failure(9, "seed was 1 and is 2", joined(command, {"--resume", "--seed", "2"}));
  folder_.write("a.txt", "other words in this file\n");
  expect_failure(9, "the input differs", joined(command, {"--resume"}));
  EXPECT_EQ(content_of(part), bytes);
}

TEST_F(CountVerbs, KnowABuiltInCorpusAgainAndNotWhatStdinHad) {
  const Words again = {"count", "synthetic:drift", "--positions", "8", "--shard",
                       "0/2",   "--resume"};
  for (int time = 0; time < 2; ++time)
    expect_ok(joined(again, {"-o", file("{shard}-of-{shard}.counts")}));
  EXPECT_TRUE(std::filesystem::exists(file("0-of-0.counts")));
  expect_failure(9, "cannot be held against stdin",
                 {"count", "-", "-o", file("0-of-0.counts"), "--resume"});
  expect_failure(
      6, "",
      {"count", texts("a.txt", 20), "--resume", "-o", file(std::string(300, 'x') + ".counts")});
}

TEST_F(CountVerbs, RefuseShardsThatDoNotBelongTogether) {
  const std::string text = texts("a.txt", 60), other = texts("b.txt", 61);
  const auto part = [&](const std::string& name, const Words& words) {
    expect_ok(joined({"count", "-o", file(name), "--positions", "4"}, words));
    return file(name);
  };
  const std::string a = part("a.counts", {text, "--shard", "0/2"});
  const std::string b = part("b.counts", {text, "--shard", "1/2"});
  const std::string seeded = part("c.counts", {text, "--shard", "1/2", "--seed", "2"});
  const std::string foreign = part("d.counts", {other, "--shard", "1/2"});
  const std::string out = file("out.counts");
  expect_failure(2, "shard 0 of 2 is there twice", {"merge", a, b, a, "-o", out});
  expect_failure(2, "seed is 2 here and 1", {"merge", a, seeded, "-o", out});
  expect_failure(2, "another corpus", {"merge", a, foreign, "-o", out});
  expect_failure(2, "1 of 2 shards missing: 1", {"geometry", a});
  expect_failure(2, "give one kind", {"geometry", a, text});
  expect_ok({"geometry", a, b});
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(CountVerbs, RefuseOptionsThatTheCountsContradict) {
  const std::string counts = file("a.counts");
  expect_ok({"count", texts("a.txt", 60), "-o", counts, "--positions", "4", "--shuffles", "2"});
  const auto refused = [&](const std::string& part, const Words& words) {
    expect_failure(2, part, joined({"geometry", counts}, words));
  };
  refused("--positions: is 5 but the counts were made with 4", {"--positions", "5"});
  refused("--tokens: is 'bytes' but the counts were made with 'words'", {"--tokens", "bytes"});
  refused("--length: is any but the counts were made with at-least", {"--length", "any"});
  refused("--specials: is bert but the counts were made with none", {"--specials", "bert"});
  refused("--windows", {"--windows"});
  refused("--shuffles: is 3 but the counts were made with 2", {"--shuffles", "3"});
  refused("--seed: is 2 but the counts were made with 1", {"--seed", "2"});
  refused("--limit: does nothing beside files of counts", {"--limit", "5"});
  refused("--format: does nothing", {"--format", "text"});
  refused("--invalid: does nothing", {"--invalid", "replace"});
  expect_ok({"geometry", counts, "--positions", "4", "--tokens", "words", "--seed", "1"});
}

// Small matrices of many cells.
TEST_F(CountVerbs, RefuseCellsBeyondTheMemory) {
  const std::string counts = file("a.counts");
  expect_ok({"count", texts("a.txt", 4000), "-o", counts, "--positions", "4", "--shuffles", "0"});
  expect_failure(5, "cells of tokens, positions and blocks need",
                 {"geometry", counts, "--mem", "200000"});
  expect_ok({"geometry", counts, "--mem", "20000000"});
}

TEST_F(CountVerbs, RefuseDamagedCounts) {
  const std::string counts = file("a.counts");
  expect_ok({"count", texts("a.txt", 30), "-o", counts, "--positions", "4", "--shuffles", "1"});
  std::string bytes = content_of(counts);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  expect_failure(3, "offset", {"geometry", folder_.write("b.counts", bytes).string()});
  expect_failure(
      3, "length",
      {"merge", folder_.write("b.counts", bytes.substr(0, 500)).string(), "-o", file("c.counts")});
  expect_failure(3, "not a file of counts",
                 {"geometry", folder_.write("b.counts", "plain text\n").string()});
  expect_failure(3, "those of counts; expected text", {"tokenize", counts, "-o", file("i.npy")});
  expect_failure(5, "GB may be used", {"merge", counts, "-o", file("c.counts"), "--mem", "10"});
}

TEST_F(CountVerbs, GoOnAfterASignal) {
  std::string text;
  for (int k = 0; k < 300000; ++k) {
    for (int i = 0; i < 24; ++i) text += "w" + std::to_string((k * 31 + i * i * 17) % 977) + " ";
    text += "\n";
  }
  const std::string corpus = folder_.write("large.txt", text).string();
  const Words common = {"count", corpus, "--positions", "24", "--shuffles", "8", "--quiet"};
  expect_ok(joined(common, {"-o", file("whole.counts")}));
  const Words part = joined(common, {"-o", file("x.counts")});
  const CommandResult stopped =
      command_stopped_at(folder_ / "x.counts.checkpoint", joined({SEXTANT_BINARY}, part));
  ASSERT_EQ(stopped.status, 8) << stopped.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.counts"));
  expect_failure(9, "number of shards was 1 and is 2",
                 joined(part, {"--resume", "--shard", "0/2"}));
  expect_failure(9, "seed was 1 and is 2", joined(part, {"--resume", "--seed", "2"}));
  expect_ok(joined(part, {"--resume"}));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "x.counts.checkpoint"));
  EXPECT_TRUE(content_of(file("x.counts")) == content_of(file("whole.counts")));
}

}  // namespace
}  // namespace sextant
