// SPDX-License-Identifier: Apache-2.0
#include "theory/nearest_repeat.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rounding.h"
#include "math/elementary.h"

namespace sextant {
namespace {

constexpr double kBase = 10000.0;
constexpr Index kLagBlock = 1024;  // lags: as many blocks in a million as lags in a block

// sum_k (1 - cos), doubled: 2 (1 - cos x) = 4 sin^2(x/2) does not cancel for slow waves.
double squared_distance(const std::vector<DoubleDouble>& frequencies, Index lag) {
  double sum = 0.0;
  for (const DoubleDouble& frequency : frequencies) {
    const double sine = to_double(cos_sin(0.5 * static_cast<double>(lag), frequency).sin);
    sum += 4.0 * sine * sine;
  }
  return sum;
}

std::vector<DoubleDouble> ladder(Index dim) {
  std::vector<DoubleDouble> result;
  result.reserve(static_cast<std::size_t>(dim / 2));
  for (Index k = 0; k < dim / 2; ++k) result.push_back(rational_power(kBase, -2 * k, dim));
  return result;
}

// cos and sin of the lags 0..kLagBlock-1 for each frequency, [frequencies, kLagBlock].
struct BlockTable {
  Matrix cos, sin;

  explicit BlockTable(const std::vector<DoubleDouble>& frequencies)
      : cos(static_cast<Index>(frequencies.size()), kLagBlock),
        sin(static_cast<Index>(frequencies.size()), kLagBlock) {
    for (Index k = 0; k < cos.rows(); ++k) {
      for (Index j = 0; j < kLagBlock; ++j) {
        const CosSin value =
            cos_sin(static_cast<double>(j), frequencies[static_cast<std::size_t>(k)]);
        cos(k, j) = to_double(value.cos);
        sin(k, j) = to_double(value.sin);
      }
    }
  }

  // sum_k cos(w_k (start + j)) into sums, [kLagBlock].
  void add(const std::vector<DoubleDouble>& frequencies, Index start, Vector& sums) const {
    std::fill(sums.begin(), sums.end(), 0.0);
    for (Index k = 0; k < cos.rows(); ++k) {
      const CosSin at =
          cos_sin(static_cast<double>(start), frequencies[static_cast<std::size_t>(k)]);
      const double c = to_double(at.cos), s = to_double(at.sin);
      const auto cosines = cos.row(k), sines = sin.row(k);
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += c * cosines[j] - s * sines[j];
    }
  }
};

}  // namespace

double sinusoidal_distance(Index dim, Index lag) {
  return std::sqrt(squared_distance(ladder(dim), lag));
}

NearestRepeat nearest_repeat(Index dim, Index first, Index last) {
  return nearest_repeat(ladder(dim), first, last);
}

NearestRepeat nearest_repeat(const std::vector<DoubleDouble>& frequencies, Index first,
                             Index last) {
  const BlockTable table(frequencies);
  Vector sums(static_cast<std::size_t>(kLagBlock));
  double most = -std::numeric_limits<double>::infinity();
  NearestRepeat nearest;
  for (Index start = first; start <= last; start += kLagBlock) {
    table.add(frequencies, start, sums);
    const auto end = sums.begin() + std::min(kLagBlock, last - start + 1);
    const auto found = std::max_element(sums.begin(), end);
    if (*found > most) {
      most = *found;
      nearest.lag = start + (found - sums.begin());
    }
  }
  const double exact = squared_distance(frequencies, nearest.lag);
  nearest.distance = std::sqrt(exact);
  nearest.rounding = std::abs(2.0 * (static_cast<double>(frequencies.size()) - most) - exact);
  return nearest;
}

}  // namespace sextant
