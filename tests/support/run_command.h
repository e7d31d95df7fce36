// SPDX-License-Identifier: Apache-2.0
// Runs a program without a shell and keeps what it said.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

namespace sextant {

struct CommandResult {
  int status = -1;  // exit status, or 128 + signal
  std::string out, err;
};

struct CommandOptions {
  std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8"};
  std::string stdout_file = {};  // instead of a pipe
  bool close_reader = false;     // nobody reads stdout
};

inline CommandResult run_command(std::vector<std::string> words,
                                 const CommandOptions& options = {}) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  if (options.stdout_file.empty()) {
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  } else {
    posix_spawn_file_actions_addopen(&actions, 1, options.stdout_file.c_str(), O_WRONLY, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);

  std::vector<char*> argv, envp;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> environment = options.environment;
  for (std::string& variable : environment) envp.push_back(variable.data());
  envp.push_back(nullptr);
  if (options.close_reader) close(out[0]);
  pid_t child = 0;
  const int failed = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  close(err[1]);
  CommandResult result;
  EXPECT_EQ(failed, 0) << "cannot start " << words[0];
  if (failed != 0) return result;

  std::array<pollfd, 2> streams = {pollfd{options.close_reader ? -1 : out[0], POLLIN, 0},
                                   pollfd{err[0], POLLIN, 0}};
  std::array<std::string*, 2> texts = {&result.out, &result.err};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    if (poll(streams.data(), streams.size(), -1) < 0 && errno != EINTR) break;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      if (streams[i].fd < 0 || streams[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t count = read(streams[i].fd, buffer, sizeof(buffer));
      if (count > 0) {
        texts[i]->append(buffer, static_cast<std::size_t>(count));
      } else {
        close(streams[i].fd);
        streams[i].fd = -1;
      }
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

// The program under test.
inline CommandResult sextant_command(std::vector<std::string> arguments,
                                     const CommandOptions& options = {}) {
  arguments.insert(arguments.begin(), SEXTANT_BINARY);
  return run_command(std::move(arguments), options);
}

// Fails with `status`, says nothing on stdout and one line on stderr that contains `part`.
inline void expect_failure(int status, const std::string& part,
                           const std::vector<std::string>& arguments,
                           const CommandOptions& options = {}) {
  const CommandResult result = sextant_command(arguments, options);
  EXPECT_EQ(result.status, status) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err.find("sextant: error: "), 0U) << result.err;
  EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  EXPECT_NE(result.err.find(part), std::string::npos) << result.err << "lacks: " << part;
}

}  // namespace sextant
