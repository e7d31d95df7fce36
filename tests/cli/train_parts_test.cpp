// SPDX-License-Identifier: Apache-2.0
// sextant train in parts: ranks that share a folder, and the script that runs them on a cluster,
// with scripts in the place of sextant-lab and of sbatch.
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "support/fake_lab.h"

namespace sextant {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// The trial ENCODING:SEED of STOPPED stops its parent, that of KILLED kills it, that of WAITING
// waits for the file `go`, and says so.
constexpr const char* kPartsLab = R"sh(
if [ "$encoding:$seed" = "$STOPPED" ]; then kill -TERM $PPID; exec sleep 5; fi
if [ "$encoding:$seed" = "$KILLED" ]; then kill -KILL $PPID; exit 1; fi
if [ "$encoding:$seed" = "$WAITING" ]; then
  touch "$folder/../../waits"
  while [ ! -e "$folder/../../go" ]; do sleep 0.01; done
fi
evaluations='{"length": 4, "loss": 0.'$seed', "accuracy": 0.5, "loss_by_position": []}'
)sh";

class TrainParts : public WithFakeLab {
 protected:
  TrainParts() : WithFakeLab(kPartsLab) {}
  Words command(const Words& more, const std::string& out = "out") const {
    Words words = {
        "train", "running_sum", "--train",   "4",       "--test", "4",  "--jobs",
        "1",     "--encodings", "none,rope", "--seeds", "3",      "-o", (folder_ / out).string()};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  CommandResult train(const Words& more, const std::string& variable = "NOTHING=",
                      const std::string& out = "out") const {
    return sextant_command(command(more, out), environment(variable));
  }
  // Document, lines and page of a run in one process.
  void expect_as_in_one_process() const {
    ASSERT_EQ(train({}, "NOTHING=", "one").status, 0);
    for (const char* name : {"train.json", "results.jsonl", "report.html"})
      EXPECT_EQ(content_of(folder_ / "out" / name), content_of(folder_ / "one" / name)) << name;
  }
  bool exists(const char* name) const { return fs::exists(folder_ / name); }
};

TEST_F(TrainParts, PutTogetherAreTheRunOfOneProcess) {
  for (const char* rank : {"2/4", "0/4", "3/4", "1/4"}) {
    const CommandResult part = train({"--rank", rank});
    ASSERT_EQ(part.status, 0) << part.err;
    EXPECT_NE(part.out.find("--resume in place of --rank"), std::string::npos) << part.out;
    EXPECT_FALSE(exists("out/train.json")) << "tables are of all parts";
    EXPECT_FALSE(exists("out/results.jsonl"));
  }
  EXPECT_EQ(runs(), 6) << "disjoint, and all";
  const CommandResult all = train({"--resume"});
  ASSERT_EQ(all.status, 0) << all.err;
  EXPECT_NE(all.err.find("6 of 6 trials are finished"), std::string::npos) << all.err;
  EXPECT_EQ(runs(), 6);
  expect_as_in_one_process();
  EXPECT_FALSE(exists("out/.sextant-lock"));
}

TEST_F(TrainParts, ThatLackAreTrainedInTheEnd) {
  ASSERT_EQ(train({"--rank", "1/2"}).status, 0);
  EXPECT_EQ(runs(), 3);
  const CommandResult refused = train({});
  EXPECT_EQ(refused.status, 6) << "trials of an earlier run are kept";
  const CommandResult all = train({"--resume"});
  ASSERT_EQ(all.status, 0) << all.err;
  EXPECT_EQ(runs(), 6);
  expect_as_in_one_process();
}

TEST_F(TrainParts, SkipWhatIsThere) {
  ASSERT_EQ(train({"--rank", "0/2"}).status, 0);
  const CommandResult again = train({"--rank", "0/2", "--json"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(runs(), 3);
  const auto json = nlohmann::json::parse(again.out);
  EXPECT_EQ(json["rank"]["index"], 0);
  EXPECT_EQ(json["rank"]["count"], 2);
  ASSERT_EQ(json["trials"].size(), 3U);
  for (const auto& trial : json["trials"]) EXPECT_EQ(trial["done"], true);
}

TEST_F(TrainParts, GoOnAfterBeingKilledOrStopped) {
  EXPECT_EQ(train({"--rank", "0/2"}, "KILLED=rope:2").status, 128 + SIGKILL);
  EXPECT_EQ(train({"--rank", "1/2"}, "STOPPED=rope:1").status, 8);
  for (const char* rank : {"0/2", "1/2"}) {
    const CommandResult part = train({"--rank", rank});
    EXPECT_EQ(part.status, 0) << part.err;
  }
  ASSERT_EQ(train({"--resume"}).status, 0);
  expect_as_in_one_process();
}

TEST_F(TrainParts, WorkInOneFolderAtOnceButEachOnce) {
  CommandResult slow;
  std::thread first([&] { slow = train({"--rank", "0/2"}, "WAITING=none:1"); });
  for (int i = 0; i < 1000 && !exists("waits"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(train({"--rank", "1/2"}).status, 0) << "another part";
  const CommandResult twice = train({"--rank", "0/2"});
  EXPECT_EQ(twice.status, 9);
  EXPECT_NE(twice.err.find("is in use by another process"), std::string::npos) << twice.err;
  EXPECT_EQ(train({"--rank", "0/3"}).status, 9) << "has a trial of the first of two parts";
  const CommandResult whole = train({"--resume"});
  EXPECT_EQ(whole.status, 9);
  EXPECT_NE(whole.err.find("in use by processes that do parts of it"), std::string::npos);
  folder_.write("go", "");
  first.join();
  EXPECT_EQ(slow.status, 0) << slow.err;
  ASSERT_EQ(train({"--resume"}).status, 0);
  EXPECT_EQ(runs(), 6);
  expect_as_in_one_process();
}

TEST_F(TrainParts, RefuseAnotherSetUpAndWrongOptions) {
  ASSERT_EQ(train({"--rank", "0/2"}).status, 0);
  const CommandResult other = train({"--rank", "1/2", "--dim", "32"});
  EXPECT_EQ(other.status, 9);
  EXPECT_NE(other.err.find("model.dim is 64 there and 32 here"), std::string::npos) << other.err;
  expect_failure(2, "counts from 0", command({"--rank", "2/2"}), environment());
  expect_failure(2, "must not go with --force", command({"--rank", "0/2", "--force"}),
                 environment());
  expect_failure(2, "does nothing without --slurm", command({"--array", "3"}), environment());
  expect_failure(2, "SLURM_ARRAY_TASK_ID", command({"--rank", "slurm-array"}), environment());
  EXPECT_EQ(train({"--rank", "7/9"}).status, 0) << "more parts than trials: nothing to do";
  EXPECT_EQ(runs(), 3);
}

TEST_F(TrainParts, ReportAFailedTrialAndLeaveTheOthers) {
  const CommandResult part = train({"--rank", "0/2"}, "BROKEN=rope:2");
  EXPECT_EQ(part.status, 7) << part.err;
  EXPECT_NE(part.out.find("2 of 3 trials"), std::string::npos) << part.out;
}

// In the place of sbatch: runs every part of the array at once, then says the number of the job. A
// job with --array=N runs that part alone, with what follows the script.
constexpr const char* kSbatch = R"sh(#!/bin/bash
array= script=
while [ $# -gt 0 ]; do
  case $1 in
    --array=*) array=${1#--array=} ;;
    --dependency=*) echo "$1" >> "$CALLS" ;;
    --parsable) ;;
    *) script=$1; shift; break ;;
  esac
  shift
done
[ -n "$array" ] || array=$(sed -n 's/^#SBATCH --array=//p' "$script")
cpus=$(sed -n 's/^#SBATCH --cpus-per-task=//p' "$script")
spooled=$(mktemp); cat "$script" > "$spooled"
for i in $(seq ${array%-*} ${array#*-}); do
  (cd / && SLURM_JOB_ID=7 SLURM_ARRAY_TASK_ID=$i SLURM_CPUS_PER_TASK=$cpus \
   SLURM_SUBMIT_DIR=$OLDPWD bash "$spooled" "$@" >> "$CALLS" 2>&1) &
done
wait; rm "$spooled"; echo '7;cluster'
)sh";

class TrainSlurm : public TrainParts {
 protected:
  TrainSlurm() {
    fs::create_directory(folder_ / "bin");
    fs::permissions(folder_.write("bin/sbatch", kSbatch), fs::perms::owner_all);
  }
  // In the folder of the test, with our sbatch.
  CommandResult shell(const std::string& code) const {
    CommandOptions options = environment("CALLS=" + (folder_ / "calls").string());
    options.environment[0] = "PATH=" + (folder_ / "bin").string() + ":/usr/bin:/bin";
    return run_command({"/bin/bash", "-c", "cd '" + folder_.path().string() + "' && " + code},
                       options);
  }
};

TEST_F(TrainSlurm, WritesAScriptThatRunsThePartsAndThenTheTables) {
  const std::string words =
      "train running_sum --train 4 --test 4 --encodings none,rope --seeds 3 -o out";
  const CommandResult written = shell(SEXTANT_BINARY " " + words + " --slurm --jobs 2");
  ASSERT_EQ(written.status, 0) << written.err;
  EXPECT_NE(written.out.find("job=$(sbatch --parsable out.sbatch)"), std::string::npos);
  EXPECT_FALSE(exists("out")) << "nothing is trained";
  const std::string script = content_of(folder_ / "out.sbatch");
  for (const char* line :
       {"\n#SBATCH --array=0-2\n", "\n#SBATCH --cpus-per-task=2\n", "\n#SBATCH --time=24:00:00\n",
        "\n#SBATCH --signal=B:TERM@60\n", "\n#SBATCH --output=out-%A_%a.out\n"})
    EXPECT_NE(script.find(line), std::string::npos) << line << script;
  EXPECT_EQ(script.find(folder_.path().string()), std::string::npos) << "paths stay relative";
  const CommandResult submitted = shell("./out.sbatch");
  ASSERT_EQ(submitted.status, 0) << submitted.err << content_of(folder_ / "calls");
  EXPECT_NE(content_of(folder_ / "calls").find("--dependency=afterany:7\n"), std::string::npos);
  EXPECT_EQ(runs(), 6);
  expect_as_in_one_process();
}

TEST_F(TrainSlurm, PassesEveryArgumentOnAsItWasGiven) {
  const std::string text = "it's a \"$HOME\" `id` \\ *.txt";
  std::string lines;
  for (int i = 0; i < 40; ++i)
    lines += "a b c d e f g h i j k l m n o p q r s t" + std::to_string(i) + "\n";
  folder_.write(text, lines);
  folder_.write("-n.txt", lines);
  const CommandResult written = run_command({"/bin/bash",
                                             "-c",
                                             "cd \"$0\" && exec \"$@\"",
                                             folder_.path().string(),
                                             SEXTANT_BINARY,
                                             "train",
                                             "lm",
                                             text,
                                             "./-n.txt",
                                             "--train",
                                             "4",
                                             "--encodings",
                                             "none,learned(beyond=clamp)",
                                             "--seeds",
                                             "1",
                                             "-o",
                                             "a 'b' $c",
                                             "--seed",
                                             "5",
                                             "--slurm=s $x.sbatch",
                                             "--array",
                                             "1",
                                             "--time",
                                             "2-12"},
                                            environment());
  ASSERT_EQ(written.status, 0) << written.err;
  ASSERT_EQ(shell("sbatch --parsable './s $x.sbatch'").status, 0);
  std::set<std::string> trained;
  for (const auto& entry : fs::directory_iterator(folder_ / "a 'b' $c")) {
    if (!entry.is_directory()) continue;
    const auto job = nlohmann::json::parse(content_of(entry.path() / "job.json"));
    EXPECT_EQ(job["corpus"]["inputs"], (nlohmann::json{text, "-n.txt"}));
    EXPECT_EQ(job["seed"], 5);
    trained.insert(job["encoding"]);
  }
  EXPECT_EQ(trained, (std::set<std::string>{"none", "learned(beyond=clamp,train=4)"}))
      << content_of(folder_ / "calls");
}

TEST_F(TrainSlurm, KeepsAFileThatIsThere) {
  folder_.write("job", "mine");
  const std::string file = (folder_ / "job").string();
  expect_failure(6, "exists", command({"--slurm=" + file}), environment());
  EXPECT_EQ(content_of(file), "mine");
  EXPECT_EQ(train({"--slurm=" + file, "--force"}).status, 0);
  EXPECT_NE(content_of(file), "mine");
  EXPECT_EQ(content_of(file).find("--force"), std::string::npos) << "is not of the parts";
  expect_failure(2, "a limit of Slurm", command({"--slurm", "--time", "1h"}), environment());
  expect_failure(2, "--seeds", command({"--slurm", "--seeds", "x"}), environment());
}

}  // namespace
}  // namespace sextant
