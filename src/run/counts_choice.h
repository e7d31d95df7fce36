// SPDX-License-Identifier: Apache-2.0
// Counts in the words of a user: made of texts, or read from files of counts (docs/counts.md).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "corpus/counts_file.h"
#include "run/study_choice.h"

namespace sextant {

inline constexpr const char* kCountsExtension = ".counts";

// Called with the options of the counts before they take memory: throws where a study would not
// fit.
using CheckCounting = std::function<void(const CountOptions&)>;

// Counts choice.corpus.shard of the corpus; without an input the built-in sample where
// `run.may_sample`. Nothing when `run.stop` ended it. Throws as the readers do. REQUIRES: the
// inputs are no counts.
std::optional<CountsFile> count_choice(const StudyChoice& choice, const StudyRun& run,
                                       const CheckCounting& check = {});

// The file that count_choice() would make, before anything is counted.
CountsFile uncounted_choice(const StudyChoice& choice, const StudyRun& run);

// The texts as count_choice() would count them; the options of the study are left to the caller.
StudyCorpus open_corpus(const StudyChoice& choice, const StudyRun& run);

// True when the inputs are files of counts, by their extension or by their first bytes. Throws
// kUsage when some are and others are not.
bool are_counts(const std::vector<std::string>& inputs);

// Throws kUsage for an option of reading that does nothing beside files of counts.
void check_counts_options(const CorpusChoice& corpus);
// Throws kUsage for an option that these counts contradict, naming both values.
void check_agreement(const StudyChoice& choice, const StudyRun& run,
                     const PositionalCounts& counts);
// The study knows of the corpus what the counts do. Throws unless they are whole.
void take_counts(Study& study, CountsFile file, const std::string& title);

// The files of counts that the choice names, merged. Throws kUsage for an option that the files
// contradict, naming both values, and for one that does nothing beside them.
CountsFile given_counts(const StudyChoice& choice, const StudyRun& run, const CheckCounting& check);

// Files of counts of one corpus, merged one after the other. Throws kRefused, before anything is
// read, when they would not fit into `memory` bytes (80 % of what is available without it), with
// their bytes beside them where they are `passed_on` to other ranks.
CountsFile merged_counts(const std::vector<std::filesystem::path>& paths,
                         std::optional<std::uint64_t> memory,
                         const std::function<void(const ReadProgress&)>& progress,
                         bool passed_on = false);

}  // namespace sextant
