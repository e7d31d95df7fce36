// SPDX-License-Identifier: Apache-2.0
// A sample of the runs of eight tokens in a corpus: those with the smallest hashes, so that any
// order of reading and any cut into parts choose the same ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sextant/corpus.h"

namespace sextant {

class RunSample {
 public:
  static constexpr std::size_t kRunLength = 8;
  static constexpr std::size_t kMost = 65536;

  // One run found in one group; both by their hashes.
  void add(std::uint64_t run, std::uint64_t group) {
    if (run > largest_) return;
    pending_.push_back({.run = run, .group = group});
    if (pending_.size() == kMost) settle();
  }
  // Commutative and associative: a run that another part left out has kMost smaller ones there.
  void merge(std::span<const SampledRun> runs);

  // Smallest first, at most kMost. Nothing is left here.
  std::vector<SampledRun> take();

 private:
  void settle();

  std::vector<SampledRun> runs_, pending_;
  std::uint64_t largest_ = ~std::uint64_t{0};  // that can still be among the smallest
};

Overlap overlap_of(std::span<const SampledRun> runs);

}  // namespace sextant
