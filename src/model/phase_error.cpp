// SPDX-License-Identifier: Apache-2.0
// |cos a - cos b| = 2 |sin((a+b)/2)| |sin((a-b)/2)|. With a = t w and b = t w' the second factor
// bounds the error by t |w - w'|: nothing before error / |w - w'| needs to be looked at, and from
// there the slope of the error says how far one can step without missing the first position.
#include "model/phase_error.h"

#include <algorithm>
#include <cmath>

#include "base/rounding.h"

namespace sextant {
namespace {

// A pair and the first position at which its bound allows the error.
struct PairStart {
  std::size_t pair = 0;
  double start = 0.0;
};

std::vector<PairStart> in_order(std::vector<PairStart> starts) {
  std::ranges::sort(starts, {}, &PairStart::start);
  return starts;
}

// The first position of one pair in [start, last], or last + 1.
Index pair_departure(double meant, double used, double error, Index start, Index last) {
  const double gap = std::abs(meant - used), mean = 0.5 * (meant + used);
  Index t = std::max<Index>(start, 1);
  while (t <= last) {
    const auto position = static_cast<double>(t);
    const double now = 2.0 * std::abs(std::sin(position * mean) * std::sin(0.5 * position * gap));
    if (now > error) return t;
    // |d/dt error| <= gap + 2 mean |sin(t gap / 2)|, and the sine grows by at most gap / 2 a step.
    const double slope = gap + mean * std::min(2.0, 2.0 * position * gap);
    const double step = std::min((error - now) / slope, position);
    t += std::max<Index>(1, static_cast<Index>(step));
  }
  return last + 1;
}

// 2^(e-24) for |x| in [2^e, 2^(e+1)): the largest error of rounding x to float32.
double half_ulp(double x) { return x == 0.0 ? 0.0 : std::ldexp(1.0, std::ilogb(x) - 24); }

// As engines form it: base^(2i/d), then its reciprocal, each rounded to float32.
float float_frequency(double frequency) {
  return frequency == 0.0 ? 0.0F : 1.0F / static_cast<float>(1.0 / frequency);
}

// The first position in [first, last] at which the rounded product is off by more, or last + 1.
Index float_scan(float single, double frequency, double error, Index first, Index last) {
  for (Index t = first; t <= last; ++t) {
    const auto phase = static_cast<double>(static_cast<float>(t) * single);
    const double exact = static_cast<double>(t) * frequency;
    const double off = phase - exact;
    if (std::abs(off) <= error) continue;
    if (2.0 * std::abs(std::sin(0.5 * (phase + exact)) * std::sin(0.5 * off)) > error) return t;
  }
  return last + 1;
}

// Octave by octave of the phase: in each the error of rounding has one bound, and most octaves
// cannot reach `error` at all.
Index float_pair_departure(double frequency, double error, Index start, Index last) {
  const float single = float_frequency(frequency);
  const double wide = single, own = std::abs(wide - frequency);
  Index t = std::max<Index>(start, 1);
  while (t <= last) {
    const double phase = static_cast<double>(t) * wide;
    const double next = std::ceil(std::ldexp(1.0, std::ilogb(phase) + 1) / wide);
    const Index end = next <= static_cast<double>(last) ? static_cast<Index>(next) - 1 : last;
    if (static_cast<double>(end) * own + half_ulp(phase) > error) {
      const Index found = float_scan(single, frequency, error, t, end);
      if (found <= end) return found;
    }
    t = std::max(end, t) + 1;
  }
  return last + 1;
}

// Of all pairs in the order of their starts; `search(pair, start, last)` gives last + 1 for none.
template <typename Search>
std::optional<Index> first_of(const std::vector<PairStart>& starts, Index most,
                              const Search& search) {
  Index best = most + 1;
  for (const PairStart& each : starts) {
    if (!(each.start < static_cast<double>(best))) break;
    best = search(each.pair, static_cast<Index>(each.start), best - 1);
  }
  return best > most ? std::nullopt : std::optional(best);
}

}  // namespace

std::optional<ShortType> short_type(std::string_view dtype) {
  if (dtype == "float16" || dtype == "torch.float16") return ShortType::kHalf;
  if (dtype == "bfloat16" || dtype == "torch.bfloat16") return ShortType::kBfloat16;
  return std::nullopt;
}

double rounded(double value, ShortType type) {
  return type == ShortType::kHalf ? from_half(to_half(value)) : from_bfloat16(to_bfloat16(value));
}

std::vector<double> doubles(std::span<const DoubleDouble> values) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const DoubleDouble& value : values) result.push_back(to_double(value));
  return result;
}

std::vector<double> rounded(std::span<const double> values, ShortType type) {
  std::vector<double> result;
  result.reserve(values.size());
  for (const double value : values) result.push_back(rounded(value, type));
  return result;
}

std::optional<Index> first_departure(std::span<const double> meant, std::span<const double> used,
                                     double error, Index most) {
  std::vector<PairStart> starts;
  starts.reserve(meant.size());
  for (std::size_t i = 0; i < meant.size(); ++i) {
    const double gap = std::abs(meant[i] - used[i]), mean = 0.5 * (meant[i] + used[i]);
    if (gap == 0.0) continue;
    // error <= 2 min(1, t mean) min(1, t gap / 2).
    const double start = std::max(error / gap, std::sqrt(error / (mean * gap)));
    starts.push_back({i, std::floor(start)});
  }
  return first_of(in_order(std::move(starts)), most, [&](std::size_t i, Index start, Index last) {
    return pair_departure(meant[i], used[i], error, start, last);
  });
}

std::optional<Index> first_float_departure(std::span<const double> frequencies, double error,
                                           Index most) {
  std::vector<PairStart> starts;
  starts.reserve(frequencies.size());
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const double own =
        std::abs(static_cast<double>(float_frequency(frequencies[i])) - frequencies[i]);
    const double growth = own + frequencies[i] * 0x1p-24;  // a half ulp is at most 2^-24 of a phase
    if (growth > 0.0) starts.push_back({i, std::floor(error / growth)});
  }
  return first_of(in_order(std::move(starts)), most, [&](std::size_t i, Index start, Index last) {
    return float_pair_departure(frequencies[i], error, start, last);
  });
}

double float_phase_bound(std::span<const double> frequencies, Index t) {
  const auto position = static_cast<double>(t);
  double worst = 0.0;
  for (const double frequency : frequencies) {
    const auto single = static_cast<double>(float_frequency(frequency));
    if (single == 0.0) continue;
    const double own = position * std::abs(single - frequency);
    // A frequency of few bits has exact products: 1, 1/2, ...
    const bool is_exact = std::ldexp(single, 23 - std::ilogb(single)) == std::ldexp(1.0, 23);
    worst = std::max(worst, own + (is_exact ? 0.0 : half_ulp(position * single)));
  }
  return std::min(worst, 2.0);
}

Index exact_positions(ShortType type) { return type == ShortType::kHalf ? 2048 : 256; }

Index distinct_positions(Index count, ShortType type) {
  if (count <= 0) return 0;
  const Index exact = exact_positions(type);
  if (count - 1 <= exact) return count;
  constexpr double kLargestHalf = 65504.0;
  double last = rounded(static_cast<double>(count - 1), type);
  if (type == ShortType::kHalf) last = std::min(last, kLargestHalf);
  // 0..exact, then exact/2 values in each octave.
  Index values = exact + 1;
  auto octave = static_cast<double>(exact);
  for (; 2.0 * octave <= last; octave *= 2.0) values += exact / 2;
  return values + static_cast<Index>((last - octave) * static_cast<double>(exact) / (2.0 * octave));
}

}  // namespace sextant
