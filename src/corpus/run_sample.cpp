// SPDX-License-Identifier: Apache-2.0
#include "corpus/run_sample.h"

#include <algorithm>
#include <utility>

namespace sextant {

void RunSample::merge(std::span<const SampledRun> runs) {
  pending_.insert(pending_.end(), runs.begin(), runs.end());
  settle();
}

std::vector<SampledRun> RunSample::take() {
  settle();
  largest_ = ~std::uint64_t{0};
  return std::exchange(runs_, {});
}

void RunSample::settle() {
  const auto by_run = [](const SampledRun& a, const SampledRun& b) { return a.run < b.run; };
  std::sort(pending_.begin(), pending_.end(), by_run);
  std::vector<SampledRun> all(runs_.size() + pending_.size());
  std::merge(runs_.begin(), runs_.end(), pending_.begin(), pending_.end(), all.begin(), by_run);
  pending_.clear();
  runs_.clear();
  for (const SampledRun& next : all) {
    if (runs_.empty() || runs_.back().run != next.run) {
      if (runs_.size() == kMost) break;
      runs_.push_back(next);
      continue;
    }
    SampledRun& known = runs_.back();
    known.repeated = known.repeated || next.repeated || known.group != next.group;
    known.group = std::min(known.group, next.group);
  }
  if (runs_.size() == kMost) largest_ = runs_.back().run;
}

Overlap overlap_of(std::span<const SampledRun> runs) {
  return {.runs = std::ssize(runs),
          .repeated = std::count_if(runs.begin(), runs.end(),
                                    [](const SampledRun& run) { return run.repeated; })};
}

}  // namespace sextant
