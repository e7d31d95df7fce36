// SPDX-License-Identifier: Apache-2.0
#include "corpus/checkpoint.h"

#include <array>
#include <string_view>
#include <system_error>

#include "base/check.h"
#include "base/text.h"

namespace sextant {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 2> kNames = {"counts-a", "counts-b"};

// Temporary files have the target's name, hidden: no live writer has any, since we hold the lock.
void remove_leftovers(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    for (const std::string_view target : kNames) {
      if (name.starts_with(fmt::format(".{}.", target)) && name.ends_with(".tmp"))
        fs::remove(entry.path(), ignored);
    }
  }
}

}  // namespace

Checkpoints::Checkpoints(const fs::path& folder)
    : output_(folder), folder_(output_.path()), lock_(folder_) {
  remove_leftovers(folder_);
}

std::optional<CountsFile> Checkpoints::newest(std::vector<std::string>& notes) const {
  std::optional<CountsFile> best;
  std::string faults;
  for (const std::string_view name : kNames) {
    const fs::path path = folder_ / name;
    std::error_code ignored;
    if (!fs::exists(fs::symlink_status(path, ignored))) continue;
    try {
      CountsFile file = read_counts(path);
      if (!best || file.generation > best->generation) best = std::move(file);
    } catch (const Error& error) {
      faults += fmt::format("{}{}", faults.empty() ? "" : "; ", error.what());
    }
  }
  if (faults.empty()) return best;
  if (!best)
    fail(ErrorCode::kCheckpoint, path_text(folder_), "no checkpoint is usable: {}", faults);
  notes.push_back(
      fmt::format("resumed from the other checkpoint, since one is unusable: {}", faults));
  return best;
}

void Checkpoints::write(CountsFile& file) const {
  ++file.generation;
  write_counts(folder_ / kNames[file.generation % kNames.size()], file,
               AtomicFile::Existing::kReplace);
}

void Checkpoints::remove_all() const {
  std::error_code ignored;
  for (const std::string_view name : kNames) fs::remove(folder_ / name, ignored);
}

void check_same_run(const CountsFile& saved, const CountsFile& wanted, const fs::path& folder) {
  std::string text;
  const auto add = [&text](std::string_view what, std::string_view was, std::string_view is) {
    text += fmt::format("{}{} was {} and is {}", text.empty() ? "" : ", ", what, was, is);
  };
  for (const CountsDifference& each : differences(saved, wanted))
    add(each.what, each.first, each.second);
  if (saved.part.shards == wanted.part.shards && saved.part.present != wanted.part.present)
    add("shard", fmt::format("{}", fmt::join(saved.part.present, ",")),
        fmt::format("{}", fmt::join(wanted.part.present, ",")));
  if (!text.empty()) fail(ErrorCode::kCheckpoint, path_text(folder), "is of another run: {}", text);
}

}  // namespace sextant
