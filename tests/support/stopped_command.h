// SPDX-License-Identifier: Apache-2.0
// A program that is ended in the middle of its work.
#pragma once

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>

#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {

// Ends the command by SIGTERM as soon as it is ready for that.
inline CommandResult command_stopped_when(const std::function<bool()>& ready,
                                          const std::vector<std::string>& command,
                                          const CommandOptions& options = {}) {
  const TemporaryDirectory folder;
  const auto id = folder / "id";
  std::vector<std::string> words = {"/bin/sh", "-c", "echo $$ > \"$0\"; exec \"$@\"", id.string()};
  words.insert(words.end(), command.begin(), command.end());
  auto result = std::async(std::launch::async, run_command, words, options);
  for (int i = 0; i < 60000 && !ready(); ++i)
    if (result.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready) break;
  pid_t process = 0;
  EXPECT_TRUE(std::ifstream(id) >> process && kill(process, SIGTERM) == 0);
  return result.get();
}

inline CommandResult command_stopped_at(const std::filesystem::path& path,
                                        const std::vector<std::string>& command) {
  return command_stopped_when([&path] { return std::filesystem::exists(path); }, command);
}

}  // namespace sextant
