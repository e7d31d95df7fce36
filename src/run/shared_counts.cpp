// SPDX-License-Identifier: Apache-2.0
#include "run/shared_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/memory.h"
#include "base/text.h"

namespace sextant {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "part-", kBetween = "-of-";

fs::path part_folder(const fs::path& folder, Index part, Index parts) {
  return folder / fmt::format("{}{}{}{}", kPrefix, part, kBetween, parts);
}

// N of "part-I-of-N".
std::optional<Index> parts_of_name(std::string_view name) {
  const std::size_t between = name.find(kBetween);
  if (!name.starts_with(kPrefix) || between == name.npos) return {};
  const auto part = parse_integer(name.substr(kPrefix.size(), between - kPrefix.size()));
  const auto parts = parse_integer(name.substr(between + kBetween.size()));
  if (!part || !parts || *part < 0 || *part >= *parts || *parts > kMostShards) return {};
  return parts;
}

std::vector<fs::path> folders_of_parts(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
    if (parts_of_name(entry.path().filename().string())) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

// How many parts the first start had; those of a run that is not to be resumed are removed.
Index parts_on_disk(const StudyRun& run, Index new_ones) {
  if (run.checkpoints.empty()) return new_ones;
  const std::vector<fs::path> found = folders_of_parts(run.checkpoints);
  if (!run.resume) {
    for (const fs::path& part : found) remove_checkpoints(part);
    return new_ones;
  }
  if (found.empty()) return new_ones;
  const std::optional<Index> parts = parts_of_name(found.front().filename().string());
  for (const fs::path& part : found) {
    if (parts_of_name(part.filename().string()) != parts)
      fail(ErrorCode::kCheckpoint, path_text(run.checkpoints),
           "'{}' and '{}' are parts of two runs; start anew without --resume",
           path_text(found.front().filename()), path_text(part.filename()));
  }
  return *parts;
}

// The first rank decides, before any other begins.
Index number_of_parts(const StudyChoice& choice, const StudyRun& run) {
  const bool whole = choice.corpus.limit ||
                     std::ranges::find(choice.corpus.inputs, "-") != choice.corpus.inputs.end();
  const Vector parts = from_root(*run.ranks, [&]() -> Vector {
    return {static_cast<double>(parts_on_disk(run, whole ? 1 : run.ranks->size()))};
  });
  return static_cast<Index>(parts.front());
}

// What the ranks of a machine may use, each its share.
std::optional<std::uint64_t> memory_share(const StudyChoice& choice, const Communicator& ranks) {
  if (choice.memory || ranks.on_host() == 1) return choice.memory;
  const std::optional<std::uint64_t> available = available_memory();
  if (!available) return {};
  return *available / 10 * 8 / static_cast<std::uint64_t>(ranks.on_host());
}

struct OwnParts {
  std::optional<CountsFile> sum = {};
  bool stopped = false;
};

OwnParts count_own_parts(const StudyChoice& choice, const StudyRun& run, const CheckCounting& check,
                         Index parts) {
  OwnParts result;
  StudyChoice one = choice;
  one.memory = memory_share(choice, *run.ranks);
  for (Index part = run.ranks->rank(); part < parts; part += run.ranks->size()) {
    one.corpus.shard = {part, parts};
    StudyRun own = run;
    if (!run.checkpoints.empty()) own.checkpoints = part_folder(run.checkpoints, part, parts);
    if (parts > 1) {
      own.announce = [&](std::string_view) {
        run.announce(fmt::format("counting part {} of {}", part + 1, parts));
      };
    }
    std::optional<CountsFile> file = count_choice(one, own, check);
    if (!file) {
      result.stopped = true;
      return result;
    }
    if (result.sum)
      merge(*result.sum, std::move(*file));
    else
      result.sum = std::move(*file);
  }
  return result;
}

// The sum of all ranks on the first: in a tree, so that no rank holds more than two at once.
void reduce(Communicator& ranks, std::optional<CountsFile>& sum) {
  const Index rank = ranks.rank(), size = ranks.size();
  for (Index step = 1; step < size; step *= 2) {
    if (rank % (2 * step) == step) {
      ranks.send(rank - step, sum ? counts_bytes(*sum) : std::vector<std::byte>());
      return;
    }
    if (rank + step >= size) continue;
    const std::vector<std::byte> bytes = ranks.receive(rank + step);
    if (bytes.empty()) continue;
    CountsFile other = counts_of_bytes(bytes, fmt::format("counts of rank {}", rank + step));
    if (sum)
      merge(*sum, std::move(other));
    else
      sum = std::move(other);
  }
}

// What the first rank has, on every rank.
CountsFile shared(Communicator& ranks, std::optional<CountsFile> sum) {
  if (ranks.size() > 1) {
    std::vector<std::byte> bytes;
    if (ranks.is_root()) bytes = counts_bytes(*sum);
    ranks.broadcast(bytes);
    if (!ranks.is_root()) sum = counts_of_bytes(bytes, "counts of rank 0");
  }
  return std::move(*sum);
}

}  // namespace

std::optional<CountsFile> count_by_ranks(const StudyChoice& choice, const StudyRun& run,
                                         const CheckCounting& check) {
  Communicator& ranks = *run.ranks;
  OwnParts own = count_own_parts(choice, run, check, number_of_parts(choice, run));
  if (any_of(ranks, own.stopped)) return {};
  ranks.announce("adding up counts");
  reduce(ranks, own.sum);
  return shared(ranks, std::move(own.sum));
}

CountsFile given_counts_by_ranks(const StudyChoice& choice, const StudyRun& run,
                                 const CheckCounting& check) {
  std::optional<CountsFile> file;
  StudyChoice one = choice;
  one.memory = memory_share(choice, *run.ranks);
  if (run.ranks->is_root()) file = given_counts(one, run, check);
  return shared(*run.ranks, std::move(file));
}

void remove_parts(const fs::path& folder) {
  for (const fs::path& part : folders_of_parts(folder)) remove_checkpoints(part);
  remove_checkpoints(folder);
}

}  // namespace sextant
