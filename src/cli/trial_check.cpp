// SPDX-License-Identifier: Apache-2.0
#include "cli/trial_check.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>

#include "base/check.h"
#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/trial_runs.h"
#include "io/atomic_file.h"
#include "io/json.h"
#include "run/process_pool.h"
#include "run/trial_document.h"
#include "training/trial_json.h"

namespace sextant::cli {
namespace {

namespace fs = std::filesystem;

// A new folder that is gone when its owner is.
class PassingFolder {
 public:
  PassingFolder() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    if (error) fail(ErrorCode::kUnwritable, "TMPDIR", "{}", error.message());
    std::string name = (parent / "sextant-check-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      fail(ErrorCode::kUnwritable, path_text(name), "{}", std::strerror(errno));
    path_ = name;
  }
  ~PassingFolder() {
    std::error_code none;
    fs::remove_all(path_, none);
  }
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

[[noreturn]] void fail_as(const ProcessEnd& end, const Trial& trial) {
  constexpr std::string_view kPrefix = "sextant-lab: error: ";
  std::string_view text = end.last_line;
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  fail(failure_code(end), shown_encoding(trial.encoding), "{}",
       text.empty() || end.signal != 0 ? end.reason() : std::string(text));
}

}  // namespace

bool needs_check(const Trial& trial) {
  return !trial.weights.empty() || !trial.learn.empty() || trial.device != "cpu";
}

bool check_trials(const fs::path& lab, std::span<const Trial> trials, Index jobs) {
  const PassingFolder folder;
  std::vector<std::vector<std::string>> commands;
  commands.reserve(trials.size());
  for (const Trial& trial : trials) {
    const fs::path job = folder.path() / fmt::format("{}.json", commands.size());
    write_file(job, to_text(trial_json(trial)));
    commands.push_back({lab.string(), "check", job.string()});
  }
  PoolOptions pool{.at_once = jobs, .stop = &stop_requested()};
  pool.on_end = [&](std::size_t i, const ProcessEnd& end) {
    if (!end.ok() && !stop_requested()) fail_as(end, trials[i]);
  };
  run_processes(commands, pool);
  return !stop_requested();
}

}  // namespace sextant::cli
