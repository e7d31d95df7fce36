// SPDX-License-Identifier: Apache-2.0
#include "model/precision_loss.h"

#include <algorithm>
#include <cmath>

#include "base/rounding.h"
#include "math/double_double.h"

namespace sextant {
namespace {

constexpr Index kAllUpTo = 512;
constexpr Index kRun = 16;
constexpr double kPlacesPerDoubling = 24.0;
constexpr double kLargestError = 2.0;

double in_bfloat16(double x) { return from_bfloat16(to_bfloat16(x)); }
double in_half(double x) { return from_half(to_half(x)); }
double in_float(double x) { return static_cast<double>(static_cast<float>(x)); }

struct Careless {
  std::string_view what, dtype;
  double (*phase)(double t, const DoubleDouble& w);
};

constexpr Careless kWays[] = {
    {"inv_freq", "bf16", [](double t, const DoubleDouble& w) { return t * in_bfloat16(w.high); }},
    {"inv_freq", "f16", [](double t, const DoubleDouble& w) { return t * in_half(w.high); }},
    {"position", "bf16", [](double t, const DoubleDouble& w) { return in_bfloat16(t) * w.high; }},
    {"position", "f16", [](double t, const DoubleDouble& w) { return in_half(t) * w.high; }},
    {"phase", "f32",
     [](double t, const DoubleDouble& w) { return in_float(in_float(t) * in_float(w.high)); }},
};

// Ends of the runs of positions that are looked at: rising, the last one is length - 1.
std::vector<Index> run_ends(Index length) {
  std::vector<Index> ends;
  for (Index t = 0; t < std::min(length, kAllUpTo); ++t) ends.push_back(t);
  const double step = std::exp2(1.0 / kPlacesPerDoubling);
  while (ends.back() < length - 1) {
    const auto next = static_cast<Index>(std::ceil(step * static_cast<double>(ends.back())));
    ends.push_back(std::min(next, length - 1));
  }
  return ends;
}

// To the last places of a double: the second word is the first term of a Taylor series.
double exact_cosine(DoubleDouble phase) {
  return std::cos(phase.high) - std::sin(phase.high) * phase.low;
}

double error_at(std::span<const DoubleDouble> inv_freq, std::span<const double> exact, double t,
                const Careless& way) {
  double worst = 0.0;
  for (std::size_t j = 0; j < inv_freq.size(); ++j) {
    const double phase = way.phase(t, inv_freq[j]);
    worst = std::max(worst,
                     std::isfinite(phase) ? std::abs(std::cos(phase) - exact[j]) : kLargestError);
  }
  return worst;
}

}  // namespace

PrecisionLoss precision_loss(std::span<const DoubleDouble> inv_freq, Index length) {
  PrecisionLoss loss;
  loss.positions = run_ends(length);
  for (const Careless& way : kWays) loss.curves.push_back({.what = way.what, .dtype = way.dtype});
  Vector exact(inv_freq.size());
  Index seen = -1;
  for (const Index end : loss.positions) {
    for (PrecisionCurve& curve : loss.curves)
      curve.worst.push_back(curve.worst.empty() ? 0.0 : curve.worst.back());
    for (Index t = std::max(seen + 1, end - kRun + 1); t <= end; ++t) {
      const auto at = static_cast<double>(t);
      std::ranges::transform(inv_freq, exact.begin(),
                             [at](const DoubleDouble& w) { return exact_cosine(w * at); });
      for (std::size_t k = 0; k < loss.curves.size(); ++k) {
        PrecisionCurve& curve = loss.curves[k];
        const double error = error_at(inv_freq, exact, at, kWays[k]);
        curve.worst.back() = std::max(curve.worst.back(), error);
        for (std::size_t i = 0; i < std::size(kPrecisionLimits); ++i)
          if (!curve.first[i] && error > kPrecisionLimits[i]) curve.first[i] = t;
      }
    }
    seen = end;
  }
  return loss;
}

}  // namespace sextant
