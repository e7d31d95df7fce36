// SPDX-License-Identifier: Apache-2.0
#include "training/class_baselines.h"

#include <algorithm>
#include <cmath>

namespace sextant {
namespace {

// Coefficients of the product, as many as each factor has.
std::vector<double> product(std::span<const double> a, std::span<const double> b) {
  std::vector<double> result(a.size(), 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0.0) continue;
    for (std::size_t j = 0; i + j < a.size(); ++j) result[i + j] += a[i] * b[j];
  }
  return result;
}

std::vector<double> power(std::span<const double> base, Index exponent) {
  if (exponent == 0) {
    std::vector<double> one(base.size(), 0.0);
    one.front() = 1.0;
    return one;
  }
  const std::vector<double> half = power(base, exponent / 2);
  std::vector<double> square = product(half, half);
  return exponent % 2 == 0 ? square : product(square, base);
}

// The last coefficient of a power.
double last_of_power(std::span<const double> base, Index exponent) {
  const std::vector<double> half = power(base, exponent / 2);
  const std::vector<double> rest = exponent % 2 == 0 ? half : product(half, base);
  double sum = 0.0;
  for (std::size_t i = 0; i < half.size(); ++i) sum += half[i] * rest[half.size() - 1 - i];
  return sum;
}

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

// E max_v c_v for the numbers c_v of `tokens` uniform tokens: the sum of P(max > k). Independent
// Poisson numbers, given their sum, have the law of c; so P(max <= k) is a coefficient of a power
// of their truncated generating function over the same coefficient of the whole one.
double expected_largest_count(Index tokens, Index kinds) {
  constexpr double kNegligible = 1e-16;  // the P(max > k) fall faster than geometrically
  const double rate = static_cast<double>(tokens) / static_cast<double>(kinds);
  const Index mean = tokens / kinds;
  const std::vector<double> whole =
      law_of_ratios(tokens + 1, mean, [&](Index k) { return rate / static_cast<double>(k); });
  const double all = last_of_power(whole, kinds);
  const Index least = (tokens + kinds - 1) / kinds;
  double sum = static_cast<double>(least);
  std::vector<double> truncated(whole.size(), 0.0);
  std::copy_n(whole.begin(), least, truncated.begin());
  for (Index k = least; k < tokens; ++k) {
    truncated[static_cast<std::size_t>(k)] = whole[static_cast<std::size_t>(k)];
    const double above = 1.0 - last_of_power(truncated, kinds) / all;
    if (above < kNegligible) break;
    sum += above;
  }
  return sum;
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
