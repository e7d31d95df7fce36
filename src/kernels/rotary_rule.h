// SPDX-License-Identifier: Apache-2.0
// A block-diagonal map of queries and keys, sorted by what a kernel does with it.
#pragma once

#include <string>
#include <vector>

#include "sextant/encoding.h"

namespace sextant {

// Pairs of neighbouring slots whose coordinates lie evenly: pair i is (x + i step, y + i step).
// step 1: a stretch of x beside a stretch of y, which do not meet. step 2: y is x + 1.
struct PairRun {
  Index slot = 0;
  Index count = 0;
  Index x = 0;
  Index y = 0;
  Index step = 1;
};

// Any other block that moves: `places` has its coordinates, link by link.
struct BlockChain {
  Index slot = 0;
  Index size = 1;   // links
  Index width = 1;  // coordinates of a link: 1, or 2 that turn
  double coupling = 0.0;
  std::vector<Index> places;
};

// Coordinates first .. first + count that nothing touches.
struct StillRun {
  Index first = 0;
  Index count = 0;
};

// A slot is one pair of cosine and sine: what a turning pair, or each link of a chain, receives.
// A real block has a slot of frequency 0. Slots of pairs come first, in the order of the blocks.
struct RotaryRule {
  std::string where;  // the spec, for messages
  Index dim = 0;
  Index axes = 1;
  DoubleDouble magnitude = 1.0;           // of every slot
  std::vector<DoubleDouble> frequencies;  // [slots]
  std::vector<double> decays;             // [slots]
  std::vector<Index> axis;                // [slots]: the coordinate of a position that moves it
  std::vector<PairRun> pairs;
  std::vector<BlockChain> chains;
  std::vector<StillRun> still;

  std::size_t slots() const { return frequencies.size(); }
  // Queries and keys receive the same.
  bool turns_only() const;
};

// Widths beyond this are no heads; tables would take gigabytes.
inline constexpr Index kWidestHead = 4096;

// Throws kUsage where the encoding does not act on queries and keys by blocks, naming the reason.
RotaryRule rotary_rule(const Encoding& encoding, Index head_dim);

// From keys under `from` to keys under `to`: frequencies subtract, magnitudes divide. Throws kUsage
// unless both turn the same pairs and do nothing else.
RotaryRule rule_between(const RotaryRule& from, const RotaryRule& to);

}  // namespace sextant
