// SPDX-License-Identifier: Apache-2.0
// The program under mpirun, on this machine only.
#pragma once

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <iostream>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/run_command.h"
#include "support/temporary_directory.h"

namespace sextant {

// Ranks may be more than cores, and tests may run as root; shared memory needs no rights that a
// container lacks. PMIX_MCA_gds: docs/cluster.md.
inline CommandOptions mpi_options(std::vector<std::string> more = {}) {
  CommandOptions options;
  for (const char* variable : {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                               "OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_btl=self,vader",
                               "OMPI_MCA_btl_vader_single_copy_mechanism=none",
                               "OMPI_MCA_mpi_yield_when_idle=1", "PMIX_MCA_gds=hash"})
    options.environment.emplace_back(variable);
  options.environment.insert(options.environment.end(), more.begin(), more.end());
  return options;
}

inline std::vector<std::string> mpi_words(int ranks, std::vector<std::string> program) {
  std::vector<std::string> words = {SEXTANT_MPIEXEC, "-n", std::to_string(ranks)};
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

// The program `sextant`, which hands over to sextant-mpi.
inline CommandResult mpi_command(int ranks, std::vector<std::string> arguments,
                                 std::vector<std::string> variables = {}) {
  arguments.insert(arguments.begin(), SEXTANT_BINARY);
  return run_command(mpi_words(ranks, arguments), mpi_options(std::move(variables)));
}

// How many lines begin with "sextant: error: ", and the first of them.
inline std::vector<std::string> error_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    if (line.starts_with("sextant: error: ")) lines.push_back(line);
    at = end + 1;
  }
  return lines;
}

// Names and contents of the files in a folder, without hidden ones.
inline std::map<std::string, std::string> files_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(".") && entry.is_regular_file()) files[name] = content_of(entry.path());
  }
  return files;
}

// A job that goes on while the test does something to one of its ranks. What still runs at the end
// is killed, so that a test which fails ends.
class RunningRanks {
 public:
  RunningRanks(int ranks, const std::vector<std::string>& arguments,
               std::vector<std::string> variables = {})
      : ranks_(ranks) {
    const auto script = folder_.write(
        "run.sh", "#!/bin/sh\necho $$ > \"$0.${OMPI_COMM_WORLD_RANK-mpirun}\"\nexec \"$@\"\n");
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    std::vector<std::string> program = {script.string(), SEXTANT_MPI_BINARY};
    program.insert(program.end(), arguments.begin(), arguments.end());
    std::vector<std::string> words = mpi_words(ranks, program);
    words.insert(words.begin(), script.string());
    result_ = std::async(std::launch::async, [=, variables = std::move(variables)] {
      return run_command(words, mpi_options(variables));
    });
  }
  ~RunningRanks() {
    if (!result_.valid() || is_over()) return;
    for (const auto& [name, process] : processes()) kill(process, SIGKILL);
  }
  RunningRanks(const RunningRanks&) = delete;
  RunningRanks& operator=(const RunningRanks&) = delete;

  // False when the job ended before.
  bool signal_rank(int rank, int signal) const {
    while (!is_over()) {
      if (const pid_t process = process_of(std::to_string(rank)); process > 0)
        return kill(process, signal) == 0;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }

  bool is_over(std::chrono::duration<double> wait = {}) const {
    return result_.wait_for(wait) == std::future_status::ready;
  }
  // True when the job is over in that time. An mpirun that stands still after all its ranks have
  // ended, which PMIx 4.2 does at times (docs/cluster.md), is killed: it is not what is tested.
  bool ends_within(std::chrono::seconds wait) const {
    const auto start = std::chrono::steady_clock::now();
    while (!is_over(std::chrono::milliseconds(100)))
      if (std::chrono::steady_clock::now() - start > wait) break;
    if (is_over() || any_rank_runs()) return is_over();
    std::cerr << "mpirun stands still after its ranks have ended; killed\n" << description();
    kill(process_of("mpirun"), SIGKILL);
    return is_over(std::chrono::seconds(10));
  }
  CommandResult result() { return result_.get(); }

  // Which processes there are, and what the threads of each wait for: for a job that hangs.
  std::string description() const {
    std::string text;
    for (const auto& [name, process] : processes()) {
      const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
      text += name + (std::filesystem::exists(tasks) ? ":" : ": gone");
      std::error_code none;
      for (const auto& task : std::filesystem::directory_iterator(tasks, none))
        text += " [" + content_of(task.path() / "comm") + content_of(task.path() / "wchan") + "]";
      text += "\n";
    }
    return text;
  }

 private:
  // A process that has ended stays until its parent asks for it: state Z, behind the name in
  // brackets.
  static bool runs(pid_t process) {
    std::error_code none;
    const std::filesystem::path stat = "/proc/" + std::to_string(process) + "/stat";
    if (!std::filesystem::exists(stat, none)) return false;
    const std::string text = content_of(stat);
    const std::size_t state = text.rfind(')');
    return state != text.npos && text.substr(state, 3) != ") Z";
  }
  bool any_rank_runs() const {
    for (const auto& [name, process] : processes())
      if (name != "mpirun" && runs(process)) return true;
    return false;
  }
  pid_t process_of(const std::string& name) const {
    pid_t process = 0;
    return std::ifstream(folder_ / ("run.sh." + name)) >> process ? process : 0;
  }
  std::map<std::string, pid_t> processes() const {
    std::map<std::string, pid_t> found;
    if (const pid_t process = process_of("mpirun"); process > 0) found["mpirun"] = process;
    for (int rank = 0; rank < ranks_; ++rank)
      if (const pid_t process = process_of(std::to_string(rank)); process > 0)
        found["rank " + std::to_string(rank)] = process;
    return found;
  }

  int ranks_;
  TemporaryDirectory folder_;
  std::future<CommandResult> result_;
};

// Rows of a label and 20 to 40 words; words depend on the position.
inline std::string tsv_text(int rows) {
  std::string text = "label\ttext\n";
  std::uint64_t state = 88172645463325252ULL;
  for (int row = 0; row < rows; ++row) {
    text += row % 2 == 0 ? "a\t" : "b\t";
    const int words = 20 + row % 21;
    for (int i = 0; i < words; ++i) {
      state ^= state << 13U, state ^= state >> 7U, state ^= state << 17U;
      text += (i == 0 ? "w" : " w") + std::to_string((state % 40 + (i < 12 ? i * 3U : 0U)) % 60);
    }
    text += '\n';
  }
  return text;
}

}  // namespace sextant
