// SPDX-License-Identifier: Apache-2.0
// Corpora whose positional distributions are known in closed form: the truth against which
// estimates are tested, and a sample where no real text is at hand.
//
// Tokens of a sequence are independent; the one at position i has the law P_i. Default sizes give
// every token at every position an expected count of at least 9. The laws differ as those of real
// positions do, by a factor of about two in one token: with larger factors the bias of roots of
// counts, which no split removes, would show.
#pragma once

#include <memory>
#include <string_view>

#include "corpus/records.h"
#include "sextant/geometry.h"
#include "sextant/matrix.h"

namespace sextant {

struct SyntheticCorpus {
  enum class Kind {
    kDrift,     // P_i = (1 - s) Z + s Z', s = i / (n - 1); Zipf's laws of exponents 1 and 0.7
    kPeriodic,  // P_i(v) = (1 + 0.3 cos(2 pi (i / period - v / V))) / V: a circle
    kSteps,     // `blocks` stretches of positions, each with one law between the same two
  };
  Kind kind = Kind::kDrift;
  Index types = 100;       // V
  Index positions = 24;    // n: every sequence has n tokens
  Index sequences = 5000;  // N
  Index period = 8;
  Index blocks = 4;
  std::uint64_t seed = 1;

  Matrix laws() const;               // P_i(v), [n, V]; rows sum to 1
  DistanceMatrix distances() const;  // Hellinger, of the laws
  // Words "w0017" with blanks between, one record a sequence, no groups.
  std::unique_ptr<RecordReader> records() const;
};

bool is_synthetic(std::string_view text);  // begins with "synthetic:"

// synthetic:drift | synthetic:periodic | synthetic:blocks, with parameters as in
// synthetic:drift(types=100,positions=24,sequences=5000,seed=1). Throws kUsage.
SyntheticCorpus parse_synthetic(std::string_view text);

}  // namespace sextant
