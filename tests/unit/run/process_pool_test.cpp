// SPDX-License-Identifier: Apache-2.0
#include "run/process_pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <map>
#include <stdexcept>
#include <thread>

#include "support/expect_error.h"
#include "support/temporary_directory.h"

namespace sextant {
namespace {

using Words = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

Words shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// No child of this process is left, neither running nor as a zombie.
void expect_no_children() {
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(RunProcesses, HandsOverLinesAndTheLastErrorLine) {
  std::map<std::size_t, Words> lines;
  PoolOptions options{.at_once = 2};
  options.on_line = [&](std::size_t i, std::string_view line) { lines[i].emplace_back(line); };
  const std::vector<Words> commands = {
      shell("echo one; echo two; echo first >&2; echo last >&2; echo >&2"),
      {"/bin/echo", "$HOME `false`", "*"},
      shell("printf 'no end of line'; exit 3")};
  const auto ends = run_processes(commands, options);
  ASSERT_EQ(ends.size(), 3U);
  EXPECT_EQ(lines[0], (Words{"one", "two"}));
  EXPECT_EQ(lines[1], Words{"$HOME `false` *"}) << "no shell reads the words";
  EXPECT_EQ(lines[2], Words{"no end of line"});
  EXPECT_TRUE(ends[0].value().ok());
  EXPECT_EQ(ends[0]->last_line, "last");
  EXPECT_EQ(ends[2].value().status, 3);
  EXPECT_EQ(ends[2]->reason(), "exit status 3");
  expect_no_children();
}

TEST(RunProcesses, CutsALineThatNeverEnds) {
  std::vector<std::size_t> sizes;
  PoolOptions options;
  options.on_line = [&](std::size_t, std::string_view line) { sizes.push_back(line.size()); };
  run_processes(
      std::vector<Words>{shell("head -c 300000 /dev/zero | tr '\\0' x; echo; echo short")},
      options);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{kMostLine, 5}));
}

TEST(RunProcesses, RunsAsManyAtOnceAsAskedAndNoMore) {
  // Each program leaves a mark while it lives and counts the marks it sees.
  const TemporaryDirectory folder;
  const std::string script =
      "cd '" + folder.path().string() + "'; touch m$$; sleep 0.1; ls | wc -l; sleep 0.1; rm m$$";
  for (const int at_once : {1, 3}) {
    int most = 0;
    PoolOptions options{.at_once = at_once};
    options.on_line = [&](std::size_t, std::string_view line) {
      most = std::max(most, std::stoi(std::string(line)));
    };
    run_processes(std::vector<Words>(6, shell(script)), options);
    EXPECT_LE(most, at_once);
    EXPECT_EQ(most > 1, at_once > 1);
  }
}

TEST(RunProcesses, GoesOnWhenAProgramFails) {
  int ended = 0;
  PoolOptions options{.at_once = 1};
  options.on_end = [&](std::size_t, const ProcessEnd&) { ++ended; };
  const std::vector<Words> commands = {shell("echo it broke >&2; exit 7"),
                                       shell("kill -9 $$"),
                                       {"/nonexistent/program"},
                                       shell("exit 0")};
  const auto ends = run_processes(commands, options);
  EXPECT_EQ(ended, 4);
  EXPECT_EQ(ends[0].value().reason(), "exit status 7: it broke");
  EXPECT_EQ(ends[1].value().signal, SIGKILL);
  EXPECT_EQ(ends[1]->reason().find("killed by signal 9"), 0U) << ends[1]->reason();
  EXPECT_FALSE(ends[2].value().ok());
  EXPECT_NE(ends[2]->reason().find("/nonexistent/program: No such file"), std::string::npos)
      << ends[2]->reason();
  EXPECT_TRUE(ends[3].value().ok());
}

TEST(RunProcesses, StopsProgramsAndLetsThemFinish) {
  std::atomic<bool> stop = false;
  Words said;
  PoolOptions options{.at_once = 1, .stop = &stop};
  options.on_line = [&](std::size_t, std::string_view line) {
    said.emplace_back(line);
    stop = true;
  };
  const std::vector<Words> commands = {
      shell("trap 'echo saved; exit 130' TERM; echo ready; while :; do sleep 0.01; done"),
      shell("echo never")};
  const auto ends = run_processes(commands, options);
  EXPECT_EQ(said, (Words{"ready", "saved"}));
  EXPECT_EQ(ends[0].value().status, 130);
  EXPECT_FALSE(ends[1].has_value());
  expect_no_children();
}

TEST(RunProcesses, LeavesNothingBehindWhenACallbackThrows) {
  const auto start = Clock::now();
  PoolOptions options{.at_once = 2};
  options.on_line = [](std::size_t, std::string_view) { throw std::runtime_error("enough"); };
  EXPECT_THROW(
      run_processes(std::vector<Words>{{"/bin/sleep", "60"}, shell("echo x; sleep 60")}, options),
      std::runtime_error);
  EXPECT_LT(seconds_since(start), 30.0);
  expect_no_children();
}

TEST(RunProcesses, DoesNotWaitForThoseThatAProgramLeftBehind) {
  const auto start = Clock::now();
  Words said;
  PoolOptions options;
  options.on_line = [&](std::size_t, std::string_view line) { said.emplace_back(line); };
  run_processes(std::vector<Words>{shell("sleep 20 & echo $!; exit 0")}, options);
  EXPECT_LT(seconds_since(start), 15.0);
  ASSERT_EQ(said.size(), 1U);
  kill(std::stoi(said[0]), SIGKILL);
}

TEST(RunProcesses, EndsProgramsWhenItsThreadDies) {
  const TemporaryDirectory folder;
  const std::string mark = (folder / "ended").string();
  const pid_t child = fork();
  if (child == 0) {
    PoolOptions options;
    options.on_line = [](std::size_t, std::string_view) { kill(getpid(), SIGKILL); };
    run_processes(
        std::vector<Words>{shell("trap 'touch " + mark +
                                 "; exit' TERM; echo ready; while :; do sleep 0.01; done")},
        options);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  const auto start = Clock::now();
  while (!std::filesystem::exists(mark) && seconds_since(start) < 20.0)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(std::filesystem::exists(mark));
}

TEST(RunProcesses, KnowsHowProgramsEndWhereTheirSignalIsIgnored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const std::vector<Words> commands = {shell("exit 3"), shell("echo x"), shell("kill -9 $$")};
  const auto ends = run_processes(commands, {});
  EXPECT_EQ(std::signal(SIGCHLD, before), SIG_IGN) << "what was there comes back";
  EXPECT_EQ(ends[0].value().status, 3);
  EXPECT_TRUE(ends[1].value().ok());
  EXPECT_EQ(ends[2].value().signal, SIGKILL);
}

TEST(RunProcesses, FailsAProgramWhoseEndWasTakenByOthers) {
  PoolOptions options;
  options.on_line = [](std::size_t, std::string_view line) {
    const pid_t program = std::stoi(std::string(line));
    kill(program, SIGKILL);
    EXPECT_EQ(waitpid(program, nullptr, 0), program);
  };
  const auto ends = run_processes(std::vector<Words>{shell("echo $$; exec sleep 60")}, options);
  EXPECT_FALSE(ends[0].value().ok());
  EXPECT_EQ(ends[0]->reason(), "exit status unknown");
  expect_no_children();
}

TEST(RunProcesses, RefusesACommandWithoutAProgram) {
  expect_error(ErrorCode::kUsage, "no program", [] { run_processes(std::vector<Words>{{}}, {}); });
  EXPECT_TRUE(run_processes({}, {}).empty());
}

}  // namespace
}  // namespace sextant
