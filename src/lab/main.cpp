// SPDX-License-Identifier: Apache-2.0
// The program sextant-lab: one trial in one process, for `sextant train` or by hand. docs/lab.md
// has the protocol.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <new>
#include <span>

#include "base/check.h"
#include "base/stop_wish.h"
#include "base/text.h"
#include "io/atomic_file.h"
#include "io/folder_lock.h"
#include "io/json_input.h"
#include "lab/ntk.h"
#include "lab/trainer.h"
#include "training/named_files.h"
#include "training/trial_json.h"
#include "training/trial_memory.h"
#include "training/trial_plan.h"
#include "training/trial_tasks.h"

namespace sextant {
namespace {

constexpr int kStoppedBySignal = 130;  // exit status
constexpr std::uint64_t kMostJobBytes = std::uint64_t{1} << 26;

constexpr const char* kHelp =
    R"(usage: sextant-lab trial JOB.json --folder DIR [--resume]
       sextant-lab ntk JOB.json --folder DIR [--resume]
       sextant-lab check JOB.json

Trains one transformer with one encoding, as the JSON file says, and leaves
DIR/result.json. `sextant train` writes such files and starts this program.
ntk leaves DIR/ntk.json too: how far the kernel of parameter gradients moved.
check reads texts and weights, makes the model and the encoding at every
length, and ends before the first step; it writes nothing.

  --folder DIR  where result, checkpoint and arrays go; made where it is missing
  --resume      go on from the checkpoint in DIR, where there is one
  --version     print the version
  --help        print this text

Progress is one line of JSON on stdout: {"step":100,"steps":800,"loss":0.02}.
SIGINT and SIGTERM leave a checkpoint in DIR; the exit status is then 130.
)";

struct Arguments {
  std::string_view verb = {};  // trial, ntk or check
  std::filesystem::path job = {}, folder = {};
  bool resume = false;
};

Arguments parsed(std::span<char* const> words) {
  const std::vector<std::string> options = {"--folder", "--resume", "--version", "--help"};
  require(!words.empty(), "sextant-lab", "must be told what to do; --help says what there is");
  const std::string_view verb = words.front();
  require(verb == "trial" || verb == "ntk" || verb == "check", escaped(verb),
          "unknown verb; there are trial, ntk and check");
  Arguments result{.verb = verb};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--resume") {
      result.resume = true;
    } else if (word == "--folder") {
      require(i + 1 < words.size() && *words[i + 1] != '\0', word, "must have a value");
      require(result.folder.empty(), word, "is given twice");
      result.folder = words[++i];
    } else {
      require(!word.starts_with('-'), escaped(word), "unknown option{}", suggestion(word, options));
      require(result.job.empty() && !word.empty(), verb, "unexpected argument '{}'", escaped(word));
      result.job = word;
    }
  }
  require(!result.job.empty(), verb, "the file of the job must be given");
  const bool writes = verb != "check";
  require(!result.folder.empty() || !writes, "--folder", "must be given");
  require((result.folder.empty() && !result.resume) || writes, verb,
          "writes nothing: it takes the file of the job alone");
  return result;
}

// ---------------------------------------------------------------------------------------------
// Streams and signals

StopWish stop;
volatile sig_atomic_t saves_when_stopped = 0;  // before there is nothing to save

// The second wish ends at once: files appear whole or not at all.
void on_signal(int) {
  if (stop.again() || saves_when_stopped == 0) _exit(kStoppedBySignal);
}

void install_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

// A reader that has gone away has what it wanted.
void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// Prints at most five lines a second, and the last step.
class ProgressLines {
 public:
  explicit ProgressLines(Index steps) : steps_(steps) {}

  void add(Index step, double loss) {
    const auto now = std::chrono::steady_clock::now();
    if (step < steps_ && now < next_) return;
    next_ = now + std::chrono::milliseconds(200);
    print(to_line({{"step", step}, {"steps", steps_}, {"loss", loss}}) + "\n");
  }

 private:
  Index steps_;
  std::chrono::steady_clock::time_point next_ = {};
};

void warn(const std::string& what) {
  const std::string line = fmt::format("sextant-lab: warning: {}\n", what);
  std::fwrite(line.data(), 1, line.size(), stderr);
}

// ---------------------------------------------------------------------------------------------
// The trial

// True where the folder holds the result of this trial. Throws kCheckpoint for that of another.
bool finished(const std::filesystem::path& file, const Trial& trial, const std::string& files_hash,
              const std::string& corpus_hash) {
  if (!std::filesystem::exists(file)) return false;
  const std::string where = path_text(file);
  const TrialResult found = read_trial_result(read_json(file, kMostJobBytes), where);
  if (trial_json(found.trial) != trial_json(trial))
    fail(ErrorCode::kCheckpoint, where, "is the result of another trial");
  if (found.files_hash != files_hash)
    fail(ErrorCode::kCheckpoint, where, "is of another content of the files that the trial names");
  if (found.corpus_hash != corpus_hash) fail(ErrorCode::kCheckpoint, where, "is of other texts");
  return true;
}

Trial read_job(const std::filesystem::path& job) {
  Trial trial = read_trial(read_json(job, kMostJobBytes), path_text(job));
  validate(trial);
  require(!trial.corpus.tokenizer.starts_with("sentencepiece:"), "sentencepiece",
          "its library and libtorch cannot work in one program; give the model as tokenizer.json");
  return trial;
}

int run_check(const Arguments& arguments) {
  const Trial trial = read_job(arguments.job);
  const TrialTasks made = make_trial_tasks(trial);
  check_trial_memory(trial, made.training->shape(), 1);
  check_trial(trial, *made.training, *made.test);
  return 0;
}

int run_trial(const Arguments& arguments) {
  const Trial trial = read_job(arguments.job);
  const FolderLock lock(made_folder(arguments.folder));
  const std::filesystem::path result_file = arguments.folder / kResultName;
  const std::string files_hash = NamedFiles().hash(trial);
  const bool kernel = arguments.verb == "ntk";
  const TrialTasks made = make_trial_tasks(trial);
  if (arguments.resume && finished(result_file, trial, files_hash, made.corpus_hash) &&
      (!kernel || std::filesystem::exists(arguments.folder / kTangentName)))
    return 0;
  check_trial_memory(trial, made.training->shape(), 1);
  ProgressLines lines(trial.schedule.steps);
  TrainingControl control{.on_step =
                              [&lines](Index step, double loss) {
                                lines.add(step, loss);
                                return !stop.asked();
                              },
                          .goes_on = [] { return !stop.asked(); },
                          .on_warning = warn,
                          .folder = arguments.folder,
                          .resume = arguments.resume,
                          .corpus_hash = made.corpus_hash,
                          .files_hash = files_hash};
  // Before the result, which is the last file to appear.
  control.on_start = [&](const TransformerModule& model) {
    if (kernel) check_tangent_drift(trial, made.test->shape(), model);
    saves_when_stopped = 1;
  };
  if (kernel) {
    control.on_trained = [&](TransformerModule& model) {
      write_file(arguments.folder / kTangentName,
                 to_text(tangent_result_json(tangent_drift(trial, *made.test, model))));
    };
  }
  const std::optional<TrialResult> result = train(trial, *made.training, *made.test, control);
  if (!result) return kStoppedBySignal;
  write_file(result_file, to_text(trial_result_json(*result)));
  // Before a number that was not finite, the last good one is kept.
  std::error_code none;
  if (result->end == TrialEnd::kFinished) {
    std::filesystem::remove(arguments.folder / kCheckpointName, none);
    std::filesystem::remove(arguments.folder / kPreviousCheckpointName, none);
  }
  return 0;
}

int report(std::string message, int status) {
  std::ranges::replace_if(
      message, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  message = fmt::format("sextant-lab: error: {}\n", message);
  std::fwrite(message.data(), 1, message.size(), stderr);
  return status;
}

int guarded_main(std::span<char* const> words) {
  try {
    const auto asks = [words](std::string_view option) {
      return std::ranges::any_of(words, [option](const char* word) { return option == word; });
    };
    if (asks("--help") || asks("-h")) return print(kHelp), 0;
    if (asks("--version"))
      return print(fmt::format("sextant-lab {} ({})\n", SEXTANT_VERSION, framework_name())), 0;
    const Arguments arguments = parsed(words);
    return arguments.verb == "check" ? run_check(arguments) : run_trial(arguments);
  } catch (const Error& error) {
    return report(error.what(), exit_status(error.code()));
  } catch (const std::bad_alloc&) {
    return report("memory: not enough of it", exit_status(ErrorCode::kRefused));
  } catch (const std::exception& error) {
    return report(fmt::format("internal: {}", error.what()), exit_status(ErrorCode::kInternal));
  }
}

}  // namespace
}  // namespace sextant

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  sextant::install_handlers();
  return sextant::guarded_main(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
}
