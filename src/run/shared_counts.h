// SPDX-License-Identifier: Apache-2.0
// Counts of a corpus by the ranks of a job, each some parts of it.
#pragma once

#include <filesystem>
#include <optional>

#include "run/counts_choice.h"

namespace sextant {

// Counts the whole corpus as count_choice() would, on every rank. The corpus is cut into as many
// parts as the first start had ranks; part I of N has its checkpoints in
// run.checkpoints/part-I-of-N, so that any number of ranks can go on. With a limit, and from stdin,
// there is one part. Nothing, on every rank, when `run.stop` ended one of them.
std::optional<CountsFile> count_by_ranks(const StudyChoice& choice, const StudyRun& run,
                                         const CheckCounting& check);

// The files of counts that the choice names, read by the first rank, on every rank.
CountsFile given_counts_by_ranks(const StudyChoice& choice, const StudyRun& run,
                                 const CheckCounting& check);

// After the results are safe: the checkpoints of all parts.
void remove_parts(const std::filesystem::path& folder);

}  // namespace sextant
