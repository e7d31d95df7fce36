// SPDX-License-Identifier: Apache-2.0
// sextant-lab as `sextant train` and a user meet it.
#include <set>

#include "io/json_input.h"
#include "io/npy.h"
#include "support/run_command.h"
#include "support/stopped_command.h"
#include "support/temporary_directory.h"
#include "training/trial_json.h"

namespace sextant {
namespace {

Trial short_trial() {
  Trial trial;
  trial.encoding = "sinusoidal";
  trial.model.dim = 16;
  trial.model.hidden = 16;
  trial.schedule = {.steps = 20, .batch = 2, .rate = 1e-3, .warm_up = 5, .decay_from = 0.5};
  trial.train_length = 8;
  trial.test_lengths = {8};
  trial.test_sequences = 10;
  return trial;
}

CommandResult lab(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), SEXTANT_LAB_BINARY);
  return run_command(std::move(arguments));
}

void expect_lab_failure(int status, const std::string& part, std::vector<std::string> arguments) {
  const CommandResult result = lab(std::move(arguments));
  EXPECT_EQ(result.status, status) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.find("sextant-lab: error: "), 0U) << result.err;
  EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  EXPECT_NE(result.err.find(part), std::string::npos) << result.err << "lacks: " << part;
}

class LabProgram : public testing::Test {
 protected:
  std::string job(const Trial& trial) const {
    return folder_.write("job.json", to_text(trial_json(trial))).string();
  }
  std::string at(std::string_view name) const { return (folder_ / name).string(); }

  // The result in a folder without what differs between runs.
  std::string comparable(std::string_view name) const {
    const std::filesystem::path file = folder_ / name / "result.json";
    TrialResult result = read_trial_result(read_json(file, 1 << 24), file.string());
    result.seconds = result.steps_per_second = 0.0;
    result.folder.clear();
    return to_text(trial_result_json(result));
  }

  TemporaryDirectory folder_;
};

TEST_F(LabProgram, PrintsVersionAndHelp) {
  EXPECT_EQ(lab({"--version"}).out.find("sextant-lab "), 0U);
  const CommandResult help = lab({"--help"});
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.out.find("--resume"), std::string::npos);
}

TEST_F(LabProgram, LeavesAResultAndSaysHowFarItIs) {
  const CommandResult result = lab({"trial", job(short_trial()), "--folder", at("a")});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const std::size_t last = result.out.rfind('\n', result.out.size() - 2) + 1;
  const JsonInput line = parse_json(std::string_view(result.out).substr(last), "stdout");
  EXPECT_EQ(line.at("step"), 20);
  EXPECT_EQ(line.at("steps"), 20);
  EXPECT_TRUE(line.at("loss").is_number());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a" / "checkpoint"));
  EXPECT_NE(comparable("a").find("\"finished\""), std::string::npos);
}

TEST_F(LabProgram, ANumberThatIsNotFiniteIsAResult) {
  Trial trial = short_trial();
  trial.schedule.rate = 1e38;
  trial.schedule.clip = 0.0;
  EXPECT_EQ(lab({"trial", job(trial), "--folder", at("a")}).status, 0);
  EXPECT_NE(comparable("a").find("\"not finite\""), std::string::npos);
}

TEST_F(LabProgram, ChecksAJobWithoutAStep) {
  const CommandResult good = lab({"check", job(short_trial())});
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_EQ(good.out + good.err, "");
  Trial trial = short_trial();
  trial.device = "cuda:4095";
  expect_lab_failure(2, "--device: cuda:4095 is not there", {"check", job(trial)});
  trial = short_trial();
  trial.frame = Frame::kBert;
  trial.weights = at("missing.safetensors");
  expect_lab_failure(4, "missing.safetensors", {"check", job(trial)});
  trial = short_trial();
  trial.encoding = "learned";
  trial.test_lengths = {8, 16};
  expect_lab_failure(2, "learned", {"check", job(trial)});
  expect_lab_failure(2, "writes nothing", {"check", job(trial), "--folder", at("a")});
  std::set<std::string> files;
  for (const auto& each : std::filesystem::directory_iterator(folder_.path()))
    files.insert(each.path().filename());
  EXPECT_EQ(files, std::set<std::string>{"job.json"});
}

TEST_F(LabProgram, KeepsTheLastCheckpointBeforeANumberThatIsNotFinite) {
  Trial trial = short_trial();
  std::filesystem::create_directory(folder_ / "a");
  folder_.write("a/checkpoint", "the last good one");
  trial.schedule.rate = 1e38;
  trial.schedule.clip = 0.0;
  EXPECT_EQ(lab({"trial", job(trial), "--folder", at("a")}).status, 0);
  EXPECT_EQ(content_of(folder_ / "a/checkpoint"), "the last good one");
  EXPECT_EQ(lab({"trial", job(short_trial()), "--folder", at("a")}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a/checkpoint")) << "not needed when finished";
}

TEST_F(LabProgram, ADamagedCheckpointIsNone) {
  const std::string file = job(short_trial());
  std::filesystem::create_directory(folder_ / "a");
  for (const char* content : {"", "no checkpoint"}) {
    folder_.write("a/checkpoint", content);
    expect_lab_failure(9, "delete it", {"trial", file, "--folder", at("a"), "--resume"});
  }
}

TEST_F(LabProgram, WrongCallsAndJobsAreErrorsOfOneLine) {
  const std::string good = job(short_trial());
  expect_lab_failure(2, "--help", {});
  expect_lab_failure(2, "unknown verb", {"trail", good});
  expect_lab_failure(2, "--folder", {"trial", good});
  expect_lab_failure(2, "did you mean '--resume'", {"trial", good, "--folder", at("a"), "--resum"});
  expect_lab_failure(2, "unexpected argument", {"trial", good, good, "--folder", at("a")});
  expect_lab_failure(4, "missing.json", {"trial", at("missing.json"), "--folder", at("a")});
  const std::string bad = folder_.write("bad.json", "{\"task\": 3}\n").string();
  expect_lab_failure(3, "bad.json", {"trial", bad, "--folder", at("a")});
  Trial trial = short_trial();
  trial.task = "runing_sum";
  expect_lab_failure(2, "did you mean 'running_sum'", {"trial", job(trial), "--folder", at("a")});
  trial = short_trial();
  trial.schedule.steps = 0;
  expect_lab_failure(2, "steps", {"trial", job(trial), "--folder", at("a")});
}

TEST_F(LabProgram, DoesNotResumeWithAnotherFileOfTheSameName) {
  Trial trial = short_trial();
  const auto write_rows = [&](double value) {
    const Vector rows(8 * 16, value);
    const std::string bytes(reinterpret_cast<const char*>(rows.data()),
                            rows.size() * sizeof(double));
    return folder_.write("rows.npy", npy_header("<f8", std::vector<Index>{8, 16}) + bytes).string();
  };
  trial.encoding = "table(file=" + write_rows(0.5) + ")";
  const std::string file = job(trial);
  ASSERT_EQ(lab({"trial", file, "--folder", at("a")}).status, 0);
  EXPECT_EQ(lab({"trial", file, "--folder", at("a"), "--resume"}).status, 0);
  write_rows(0.25);
  expect_lab_failure(9, "content of the files", {"trial", file, "--folder", at("a"), "--resume"});
  EXPECT_EQ(lab({"trial", file, "--folder", at("a")}).status, 0);
}

TEST_F(LabProgram, KilledAndResumedLeavesTheSameResult) {
  Trial trial = short_trial();
  trial.schedule.steps = 400;
  const std::string file = job(trial);
  ASSERT_EQ(lab({"trial", file, "--folder", at("whole")}).status, 0);

  const auto progress = folder_.write("progress", "");
  const CommandResult stopped = command_stopped_when(
      [&progress] { return std::filesystem::file_size(progress) > 0; },  // it is training
      {SEXTANT_LAB_BINARY, "trial", file, "--folder", at("cut")},
      {.stdout_file = progress.string()});
  EXPECT_EQ(stopped.status, 130) << stopped.err;
  EXPECT_TRUE(std::filesystem::exists(folder_ / "cut" / "checkpoint"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "cut" / "result.json"));

  ASSERT_EQ(lab({"trial", file, "--folder", at("cut"), "--resume"}).status, 0);
  EXPECT_EQ(comparable("cut"), comparable("whole"));
  EXPECT_EQ(lab({"trial", file, "--folder", at("cut"), "--resume"}).out, "");  // nothing to do
}

}  // namespace
}  // namespace sextant
