// SPDX-License-Identifier: Apache-2.0
#include "run/study.h"

#include <algorithm>

#include "base/check.h"
#include "base/memory.h"
#include "geometry/block_cells.h"

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

}  // namespace

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

double geometry_bytes(Index n, const StudyOptions& options, Index shuffles, Index threads) {
  const auto rows =
      static_cast<Index>(options.encodings.empty() ? encodings().names().size() + 8
                                                   : 2 * options.encodings.size() + 4);
  return target_bytes(n, target_options(options, threads), shuffles, rows);
}

std::optional<double> memory_to_use(std::optional<double> memory, const Communicator& ranks) {
  if (memory) return memory;
  const std::optional<std::uint64_t> available = available_memory();
  if (!available) return {};
  return kShareOfMemory * static_cast<double>(*available) / static_cast<double>(ranks.on_host());
}

void check_memory(Index n, const StudyOptions& options, Index shuffles, Index threads,
                  std::optional<double> memory, const Communicator& ranks) {
  const double needed = geometry_bytes(n, options, shuffles, threads);
  const std::optional<double> limit = memory_to_use(memory, ranks);
  if (!limit || needed <= *limit) return;
  fail(ErrorCode::kRefused, "--positions",
       "{} positions need {:.1f} GB of memory but {:.1f} GB may be used; use fewer positions, "
       "--no-intervals, or fewer --shuffles and --encodings",
       n, needed * 1e-9, *limit * 1e-9);
}

void check_memory_of_cells(const PositionalCounts& counts, std::optional<double> memory,
                           const Communicator& ranks) {
  const double needed = BlockCells::bytes(static_cast<double>(counts.blocks.cells())) +
                        static_cast<double>(counts.blocks.bytes() + counts.shuffled.bytes());
  const std::optional<double> limit = memory_to_use(memory, ranks);
  if (!limit || needed <= *limit) return;
  fail(ErrorCode::kRefused, "corpus",
       "{} cells of tokens, positions and blocks need {:.3g} GB of memory but {:.3g} GB may be "
       "used; use fewer positions, or sextant spectrum",
       counts.blocks.cells(), needed * 1e-9, *limit * 1e-9);
}

void make_geometry(Study& study, Index threads, const Announce& announce, Communicator& ranks) {
  check_sequences(study.counts);
  announce("distances between positions");
  TargetOptions options = target_options(study.options, threads);
  options.ranks = &ranks;
  study.target = make_target(study.counts, options);
}

void make_score(Study& study, Index threads, const Announce& announce, Communicator& ranks) {
  const StudyOptions& options = study.options;
  const Index length = study.counts.options.positions;
  announce("encodings");
  study.candidates = make_candidates(
      options.encodings.empty() ? catalogue_specs() : options.encodings, study.target,
      {.dim = options.dim,
       .heads = options.heads,
       .train = options.train.value_or(length),
       .length = length,
       .threads = threads,
       .ranks = &ranks});
  announce("stress");
  study.score = score(study.target, study.candidates, threads, ranks);
}

}  // namespace sextant
