// SPDX-License-Identifier: Apache-2.0
// Random numbers as a pure function of (seed, stream, counter): Philox4x32-10 of Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
//
// No state, so that threads and resumed runs draw the same numbers in any order; no <random> and
// no libm, so that they are the same bits on every machine.
#pragma once

#include <cstdint>

namespace sextant {

class Rng {
 public:
  Rng(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  std::uint64_t at(std::uint64_t counter) const;

  // A multiple of 2^-53 in [0, 1).
  double uniform(std::uint64_t counter) const;

  // Standard normal, by inversion of 52 bits and a sign: |value| is at most 8.3, never 0.
  double normal(std::uint64_t counter) const;

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
};

// The z with P(Z < z) = p, relative error below 1e-15. REQUIRES: 0 < p <= 1/2.
// Wichura's algorithm AS 241 (PPND16, Applied Statistics 37, 1988).
double lower_normal_quantile(double p);

}  // namespace sextant
