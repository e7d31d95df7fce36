// SPDX-License-Identifier: Apache-2.0
#include "run/study.h"

#include <algorithm>

#include "base/check.h"
#include "base/memory.h"

namespace sextant {
namespace {

constexpr double kShareOfMemory = 0.8;

TargetOptions target_options(const StudyOptions& options, Index threads) {
  return {.metric = options.metric,
          .splits = options.splits,
          .intervals = options.intervals,
          .seed = options.seed,
          .threads = threads};
}

void check_sequences(const PositionalCounts& counts) {
  if (counts.used > 0) return;
  if (counts.sequences == 0) fail(ErrorCode::kMalformed, "corpus", "no sequences");
  const auto longest = std::ranges::find_if(counts.lengths.rbegin(), counts.lengths.rend(),
                                            [](std::int64_t number) { return number > 0; });
  const auto tokens = counts.lengths.rend() - longest - 1;
  if (tokens == 0)
    fail(ErrorCode::kMalformed, "corpus", "no tokens in {} sequences", counts.sequences);
  fail(
      ErrorCode::kMalformed, "corpus",
      "none of the {} sequences has {} tokens; the longest has {}: use --positions {}, or --length "
      "any",
      counts.sequences, counts.options.positions, tokens, tokens);
}

}  // namespace

void check_memory(Index n, const StudyOptions& options, Index shuffles, Index threads,
                  std::optional<double> memory) {
  const auto rows =
      static_cast<Index>(options.encodings.empty() ? encodings().names().size() + 8
                                                   : 2 * options.encodings.size() + 4);
  const double needed = target_bytes(n, target_options(options, threads), shuffles, rows);
  const std::optional<std::uint64_t> available = available_memory();
  if (!memory && !available) return;
  const double limit = memory ? *memory : kShareOfMemory * static_cast<double>(*available);
  if (needed <= limit) return;
  fail(ErrorCode::kRefused, "--positions",
       "{} positions need {:.1f} GB of memory but {:.1f} GB may be used; use fewer positions, "
       "--no-intervals, or fewer --shuffles and --encodings",
       n, needed * 1e-9, limit * 1e-9);
}

void make_geometry(Study& study, Index threads, const Announce& announce) {
  check_sequences(study.counts);
  announce("distances between positions");
  study.target = make_target(study.counts, target_options(study.options, threads));
}

void make_score(Study& study, Index threads, const Announce& announce) {
  const StudyOptions& options = study.options;
  const Index length = study.counts.options.positions;
  announce("encodings");
  study.candidates = make_candidates(
      options.encodings.empty() ? catalogue_specs() : options.encodings, study.target,
      {.dim = options.dim,
       .heads = options.heads,
       .train = options.train.value_or(length),
       .length = length,
       .threads = threads});
  announce("stress");
  study.score = score(study.target, study.candidates, threads);
}

}  // namespace sextant
