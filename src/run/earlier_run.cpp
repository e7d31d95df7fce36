// SPDX-License-Identifier: Apache-2.0
#include "run/earlier_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "io/input_file.h"
#include "io/json_input.h"
#include "training/trial_json.h"
#include "training/trial_plan.h"

namespace sextant {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostDocumentBytes = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostJobBytes = std::uint64_t{1} << 24;

// The few parts of a document of `sextant train` that say what was trained. Curves and rows, which
// are long, are passed over.
JsonInput read_head(const fs::path& file) {
  const auto wanted = [](int depth, JsonInput::parse_event_t event, JsonInput& value) {
    return depth != 1 || event != JsonInput::parse_event_t::key || value == "task" ||
           value == "options" || value == "provenance";
  };
  JsonInput head = JsonInput::parse(read_whole(file, kMostDocumentBytes), wanted, false);
  if (!head.is_object() || !head.contains("options") || !head["options"].is_object())
    fail(
        ErrorCode::kCheckpoint, path_text(file),
        "is damaged or no document of sextant train; delete it to go on from the trials beside it");
  return head;
}

// Names of the members that differ, with both values.
void add_differences(const JsonInput& there, const JsonInput& here, const std::string& name,
                     std::vector<std::string>& result) {
  if (!there.is_object() || !here.is_object()) {
    if (there != here)
      result.push_back(fmt::format("{} is {} there and {} here", name, escaped(there.dump()),
                                   escaped(here.dump())));
    return;
  }
  JsonInput keys = here;
  keys.update(there);
  for (const auto& [key, value] : keys.items())
    add_differences(there.value(key, JsonInput()), here.value(key, JsonInput()),
                    name.empty() ? key : fmt::format("{}.{}", name, key), result);
}

std::vector<std::string> differences(const JsonInput& there, const Json& here) {
  std::vector<std::string> result;
  add_differences(there, parse_json(to_line(here), "set-up"), "", result);
  return result;
}

std::vector<std::string> document_differences(const fs::path& file, const TrainingRun& run) {
  const JsonInput head = read_head(file);
  JsonInput there = head["options"];
  for (const char* key : {"encodings", "seed", "seeds", "metric", "against"}) there.erase(key);
  there["task"] = head.value("task", JsonInput());
  std::vector<std::string> result = differences(there, setup_json(run.common));
  const JsonInput provenance = head.value("provenance", JsonInput::object());
  const JsonInput hash =
      provenance.is_object() ? provenance.value("input_hash", JsonInput()) : JsonInput();
  if (hash != (run.corpus_hash.empty() ? JsonInput() : JsonInput(run.corpus_hash)))
    result.emplace_back("the texts are others");
  return result;
}

// A trial learns only what its encoding has, so that `learn` says nothing of the set-up.
std::vector<std::string> job_differences(const fs::path& file, const TrainingRun& run) {
  const Trial trial = read_trial(read_json(file, kMostJobBytes), path_text(file));
  Json there = setup_json(trial), here = setup_json(run.common);
  there.erase("learn");
  here.erase("learn");
  return differences(parse_json(to_line(there), path_text(file)), here);
}

std::vector<fs::path> jobs_in(const fs::path& folder) {
  std::vector<fs::path> jobs;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
    if (fs::exists(entry.path() / kJobName, none)) jobs.push_back(entry.path() / kJobName);
  std::ranges::sort(jobs);
  return jobs;
}

[[noreturn]] void refuse(const fs::path& file, const std::vector<std::string>& differing) {
  fail(ErrorCode::kCheckpoint, path_text(file),
       "is of another run: {}; --force replaces it, -o names another folder",
       fmt::join(differing, ", "));
}

}  // namespace

void check_earlier_run(const fs::path& folder, std::string_view document, const TrainingRun& run) {
  const fs::path file = folder / document;
  std::error_code none;
  if (fs::exists(file, none)) {
    const std::vector<std::string> differing = document_differences(file, run);
    if (!differing.empty()) refuse(file, differing);
    return;
  }
  const std::vector<fs::path> jobs = jobs_in(folder);
  if (jobs.empty()) return;
  if (std::ranges::none_of(
          jobs, [&run](const fs::path& job) { return job_differences(job, run).empty(); }))
    refuse(jobs.front(), job_differences(jobs.front(), run));
}

void check_earlier_setup(const fs::path& file, const Json& setup) {
  std::error_code none;
  if (!fs::exists(file, none)) return;
  const std::vector<std::string> differing = differences(read_json(file, kMostJobBytes), setup);
  if (!differing.empty()) refuse(file, differing);
}

}  // namespace sextant
