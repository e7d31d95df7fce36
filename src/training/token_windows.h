// SPDX-License-Identifier: Apache-2.0
// Windows of one length out of a corpus, and what is known of their tokens without learning.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sextant/task.h"
#include "training/draws.h"

namespace sextant {

enum class Cut {
  kStart,     // the first tokens of each sequence that is long enough: position has a meaning
  kAnywhere,  // every place of each sequence that is long enough
  kJoined,    // every place of all sequences one after the other
};
inline constexpr std::string_view kCutChoices = "start|anywhere|joined";
Cut cut_by_name(std::string_view word);  // one of kCutChoices

class TokenWindows {
 public:
  TokenWindows(std::shared_ptr<const TokenCorpus> corpus, Cut cut);

  // All windows of a length are equally likely. Throws kUsage, with the longest sequence, where
  // there is none.
  std::span<const std::int32_t> drawn(Draws& draws, Index length) const;

  // How many there are, and each of them: window `index` < count(length).
  Index count(Index length) const;
  std::span<const std::int32_t> window(Index index, Index length) const;

  // For predictions of the tokens at positions `first` to length - 1 of a window: the best constant
  // law, the best law for each position (unless `exchangeable`: then no position differs), chance;
  // each as loss and as accuracy.
  std::vector<Baseline> baselines(Index length, Index first, bool exchangeable) const;

  const TokenCorpus& corpus() const { return *corpus_; }

 private:
  std::size_t size(std::size_t sequence) const { return sums_[sequence + 1] - sums_[sequence]; }
  std::size_t long_enough(std::size_t length) const;  // sequences
  // Windows in the first `sequences`. REQUIRES: they are long enough.
  std::size_t windows(std::size_t sequences, std::size_t length) const;
  // The last place of a window in a sequence that is long enough.
  std::size_t last_place(std::size_t sequence, std::size_t length) const {
    return cut_ == Cut::kStart ? 0 : size(sequence) - length;
  }
  // Means over positions `first` to length - 1 of what is true of the tokens there.
  struct PositionLaw {
    double entropy = 0.0, missing = 0.0, largest_share = 0.0;
  };
  PositionLaw position_law(std::size_t length, std::size_t first) const;

  std::shared_ptr<const TokenCorpus> corpus_;
  Cut cut_;
  // Sequences, longest first: their places in the corpus, and the sums of their sizes.
  std::vector<std::size_t> places_, sums_;
};

}  // namespace sextant
