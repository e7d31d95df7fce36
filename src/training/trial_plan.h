// SPDX-License-Identifier: Apache-2.0
// Which trials a comparison of encodings is made of, and which of them a folder already holds.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sextant/trial.h"

namespace sextant {

// In the folder of a trial.
inline constexpr const char* kJobName = "job.json";
inline constexpr const char* kResultName = "result.json";

struct PlannedTrial {
  Trial trial = {};
  std::string folder = {};  // its name, without a parent
};

// Specs as trials take them: canonical, with the training length where the encoding has one and
// with the seed of a first draw where the spec sets it. Throws kUsage for a spec that cannot be
// made, that does not fit the model or the lengths of `common`, or that stands twice, and for a
// name in common.learn that no spec has; errors of files as their reader throws them.
std::vector<std::string> trial_encodings(std::span<const std::string> specs, const Trial& common);

// Every encoding with the seeds common.seed, common.seed + 1, ...: all encodings of one seed before
// the next, so that a run that is cut short leaves whole pairs. A trial learns what its encoding
// has of common.learn.
std::vector<PlannedTrial> trial_plan(const Trial& common, std::span<const std::string> encodings,
                                     Index seeds);

// Which of `parts` does trial `number` of a plan in which every seed has `encodings` trials. Parts
// differ by one trial at most, and their encodings change from seed to seed: slow ones are not left
// to one part. More seeds change no earlier answer.
Index part_of_trial(Index number, Index encodings, Index parts);

// "rope-base-500000-s3-1f0c...": readable, safe in any file system, and another one for each trial.
std::string trial_folder(const Trial& trial);

// The result in this folder, where it is of this trial. Throws kMalformed for a file that is no
// result, kCheckpoint where the corpus or the files that the trial names had another hash.
std::optional<TrialResult> finished_trial(const std::filesystem::path& folder, const Trial& trial,
                                          const std::string& corpus_hash,
                                          const std::string& files_hash);

}  // namespace sextant
