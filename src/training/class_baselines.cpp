// SPDX-License-Identifier: Apache-2.0
#include "training/class_baselines.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace sextant {
namespace {

// Weights of a law on 0, 1, ..., made to sum to 1, from the ratio of each to the one before: from
// the mode outwards, so that nothing overflows and nothing cancels.
template <typename Ratio>
std::vector<double> law_of_ratios(Index size, Index mode, const Ratio& ratio) {
  std::vector<double> law(static_cast<std::size_t>(size), 0.0);
  const auto at = [&](Index k) -> double& { return law[static_cast<std::size_t>(k)]; };
  at(mode) = 1.0;
  for (Index k = mode + 1; k < size; ++k) at(k) = at(k - 1) * ratio(k);
  for (Index k = mode; k > 0; --k) at(k - 1) = at(k) / ratio(k);
  double sum = 0.0;
  for (const double p : law) sum += p;
  for (double& p : law) p /= sum;
  return law;
}

// A Poisson number is so far from its mean with a probability below 1e-20.
Index width_of_poisson(double mean) { return static_cast<Index>(10.0 * std::sqrt(mean)) + 60; }

std::vector<double> poisson_law(double mean) {
  return law_of_ratios(static_cast<Index>(mean) + width_of_poisson(mean) + 1,
                       static_cast<Index>(mean),
                       [&](Index k) { return mean / static_cast<double>(k); });
}

// P(max_v c_v <= k) for the numbers c_v of `tokens` uniform tokens, k = 0, 1, ... Independent
// Poisson numbers, given their sum, have the law of c; so this is a coefficient of a power of their
// truncated generating function f over the same coefficient of the whole one. By Cauchy's formula
// the coefficient is a mean over the circle. Equidistant points add the coefficients whose index
// differs by their number; those are negligible, since the sum is a Poisson number too. From k to
// k + 1 each value of f changes by one term.
class LargestCountLaw {
 public:
  LargestCountLaw(Index tokens, Index kinds)
      : tokens_(tokens),
        kinds_(static_cast<double>(kinds)),
        rate_(static_cast<double>(tokens) / kinds_),
        law_(poisson_law(rate_)),
        whole_(poisson_law(static_cast<double>(tokens))[static_cast<std::size_t>(tokens)]),
        points_(width_of_poisson(static_cast<double>(tokens)) | 1) {
    roots_.reserve(static_cast<std::size_t>(points_));
    for (Index m = 0; m < points_; ++m)
      roots_.push_back(std::polar(
          1.0, 2.0 * std::numbers::pi * static_cast<double>(m) / static_cast<double>(points_)));
    less_one_.assign(static_cast<std::size_t>(points_ / 2) + 1, std::expm1(-rate_));
  }

  // Counts up to k are allowed from here on. Each k >= 1 once, in their order.
  void allow(Index k) {
    if (k >= static_cast<Index>(law_.size())) return;
    const double weight = law_[static_cast<std::size_t>(k)];
    if (weight < kNoWeight) return;
    const auto points = static_cast<std::size_t>(points_);
    const auto step = static_cast<std::size_t>(k % points_);
    std::size_t turn = 0;
    for (std::complex<double>& value : less_one_) {
      value += weight * roots_[turn];
      turn += step;
      if (turn >= points) turn -= points;
    }
  }

  double probability() const {
    // Where |f|^2 - 1 is below it, the power is negligible.
    const double least = std::expm1(2.0 * std::log(kNoWeight) / kinds_);
    double sum = 0.0;
    for (std::size_t m = 0; m < less_one_.size(); ++m) {
      const double x = less_one_[m].real(), y = less_one_[m].imag();
      const double square_less_one = x * (2.0 + x) + y * y;
      if (square_less_one <= least) continue;
      const auto turn = static_cast<std::size_t>(static_cast<Index>(m) * tokens_ % points_);
      const std::complex<double> power = std::polar(
          std::exp(0.5 * kinds_ * std::log1p(square_less_one)), kinds_ * std::atan2(y, 1.0 + x));
      sum += (m == 0 ? 1.0 : 2.0) * (power * std::conj(roots_[turn])).real();
    }
    return sum / static_cast<double>(points_) / whole_;
  }

 private:
  static constexpr double kNoWeight = 1e-30;

  Index tokens_;
  double kinds_, rate_;
  std::vector<double> law_;  // of a Poisson number
  double whole_;             // that of their sum, at `tokens`
  Index points_;             // odd, so that all but the first are in pairs of conjugates
  std::vector<std::complex<double>> roots_;     // of unity
  std::vector<std::complex<double>> less_one_;  // f - 1, which is small where kinds are many
};

// E max_v c_v: the sum of P(max > k). Far out P(max > k) is the sum of the P(c_v > k), to products
// of them.
double expected_largest_count(Index tokens, Index kinds) {
  constexpr double kRare = 1e-9;
  const std::vector<double> one = binomial_law(tokens, 1.0 / static_cast<double>(kinds));
  if (kinds == 2) {  // the other number is what is left
    double mean = 0.0;
    for (Index k = 0; k <= tokens; ++k)
      mean += one[static_cast<std::size_t>(k)] * static_cast<double>(std::max(k, tokens - k));
    return mean;
  }
  Index far = tokens;  // from here on more than one c_v > k is rarer than kRare^2
  double above = 0.0;  // kinds P(c > far)
  double sum = 0.0;    // of these from `far` on
  while (far > 0) {
    const double next = above + static_cast<double>(kinds) * one[static_cast<std::size_t>(far)];
    if (next > kRare) break;
    above = next;
    sum += above;
    --far;
  }
  LargestCountLaw law(tokens, kinds);
  const Index least = (tokens + kinds - 1) / kinds;
  for (Index k = 1; k < far; ++k) {
    law.allow(k);
    if (k >= least) sum += 1.0 - law.probability();
  }
  return sum + static_cast<double>(least);
}

}  // namespace

Guess guess_of_law(std::span<const double> law) {
  Guess result{.loss = 0.0, .accuracy = 0.0};
  for (const double p : law) {
    if (p > 0.0) result.loss -= p * std::log(p);
    result.accuracy = std::max(result.accuracy, p);
  }
  return result;
}

Guess uniform_guess(Index classes) {
  const auto count = static_cast<double>(classes);
  return {.loss = std::log(count), .accuracy = 1.0 / count};
}

// Given the numbers c_v the answer is v with probability c_v / m. Its entropy is
// ln m - sum_v c_v ln c_v / m, and each c_v is binomial.
Guess multiset_guess(Index tokens, Index kinds) {
  const auto m = static_cast<double>(tokens);
  const auto v = static_cast<double>(kinds);
  const std::vector<double> law = binomial_law(tokens, 1.0 / v);
  double loss = std::log(m);
  for (std::size_t c = 2; c < law.size(); ++c) {
    const auto count = static_cast<double>(c);
    loss -= v / m * law[c] * count * std::log(count);
  }
  return {.loss = std::max(loss, 0.0), .accuracy = expected_largest_count(tokens, kinds) / m};
}

std::vector<double> binomial_law(Index trials, double chance) {
  const auto n = static_cast<double>(trials);
  if (chance <= 0.0 || chance >= 1.0) {
    std::vector<double> certain(static_cast<std::size_t>(trials) + 1, 0.0);
    (chance <= 0.0 ? certain.front() : certain.back()) = 1.0;
    return certain;
  }
  const auto mode = std::min(trials, static_cast<Index>(chance * (n + 1.0)));
  return law_of_ratios(trials + 1, mode, [&](Index k) {
    const auto count = static_cast<double>(k);
    return (n - count + 1.0) / count * chance / (1.0 - chance);
  });
}

std::vector<Baseline> class_baselines(const Guess& constant, const Guess& position,
                                      const std::optional<Guess>& equivariant) {
  std::vector<Baseline> result;
  for (const bool of_accuracy : {false, true}) {
    const auto add = [&](const char* name, const Guess& guess, const char* how) {
      result.push_back({.name = name,
                        .value = of_accuracy ? guess.accuracy : guess.loss,
                        .of_accuracy = of_accuracy,
                        .how = how});
    };
    add("best constant", constant, "");
    add("position only", position, "knows i, not x");
    if (equivariant) add("best equivariant", *equivariant, "knows x, not i; without a mask");
  }
  return result;
}

}  // namespace sextant
