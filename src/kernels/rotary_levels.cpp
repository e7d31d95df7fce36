// SPDX-License-Identifier: Apache-2.0
// The same chain of products as in rotary_table.cpp, so its bound on the error holds here too:
// coarse (with the magnitude) * upper * lower * fine.
#include "kernels/rotary_levels.h"

#include <algorithm>
#include <cmath>

#include "base/rounding.h"
#include "kernels/rotary_rows.h"
#include "kernels/rotary_table.h"
#include "math/elementary.h"

namespace sextant {
namespace {

constexpr int kBits = 8;
constexpr std::int64_t kSteps = std::int64_t{1} << kBits;
constexpr std::size_t kCoarsest = 3;  // has the 7 bits that are left of 31

std::int64_t steps_of(std::size_t level) { return level == kCoarsest ? kSteps / 2 : kSteps; }
std::int64_t step_size(std::size_t level) { return std::int64_t{1} << (kBits * level); }
std::size_t digit(std::int64_t t, std::size_t level) {
  return static_cast<std::size_t>((t >> (kBits * level)) & (kSteps - 1));
}

// One column of a table: magnitude e^(i k step w) for k = 0, 1, ... Products in double-double lose
// 2^-100 each, which leaves every entry right to the last place of a double.
void fill_column(DoubleDouble frequency, double step, DoubleDouble magnitude, std::size_t slot,
                 std::size_t slots, std::span<double> cos, std::span<double> sin) {
  const CosSin one = cos_sin(step, frequency);
  CosSin turn{magnitude, 0.0};
  for (std::size_t at = slot; at < cos.size(); at += slots) {
    cos[at] = to_double(turn.cos);
    sin[at] = to_double(turn.sin);
    turn = {turn.cos * one.cos - turn.sin * one.sin, turn.sin * one.cos + turn.cos * one.sin};
  }
}

// e^(k step decay). What is beyond a double is never asked for.
void fill_growth(double decay, double step, std::size_t slot, std::size_t slots,
                 std::span<double> growth) {
  for (std::size_t at = slot, k = 0; at < growth.size(); at += slots, ++k) {
    growth[at] = to_double(exp(DoubleDouble(decay) * (step * static_cast<double>(k))));
  }
}

}  // namespace

RotaryLevels::RotaryLevels(std::vector<DoubleDouble> frequencies, std::span<const double> decays,
                           DoubleDouble magnitude)
    : frequencies_(std::move(frequencies)),
      magnitude_(magnitude),
      cos_error_(frequencies_.size(), kRotaryErrorBound * std::abs(magnitude.high)),
      sin_error_(cos_error_),
      no_error_(frequencies_.size()) {
  const std::size_t n = slots();
  const bool grows = std::ranges::any_of(decays, [](double decay) { return decay != 0.0; });
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    Table& table = levels_[level];
    const auto step = static_cast<double>(step_size(level));
    const std::size_t size = static_cast<std::size_t>(steps_of(level)) * n;
    table.cos.resize(size);
    table.sin.resize(size);
    table.growth.resize(grows ? size : 0);
    for (std::size_t j = 0; j < n; ++j) {
      fill_column(frequencies_[j], step, level == kCoarsest ? magnitude : 1.0, j, n, table.cos,
                  table.sin);
      if (grows) fill_growth(decays[j], step, j, n, table.growth);
    }
  }
  // A sine that is 0 throughout is exact.
  for (std::size_t j = 0; j < n; ++j) {
    if (frequencies_[j].high == 0.0) sin_error_[j] = 0.0;
  }
}

void RotaryLevels::product(std::int64_t t, std::size_t lowest, std::span<double> cos,
                           std::span<double> sin) const {
  const std::size_t n = slots();
  const std::size_t coarse = digit(t, kCoarsest) * n;
  std::copy_n(levels_[kCoarsest].cos.begin() + static_cast<Index>(coarse), n, cos.begin());
  std::copy_n(levels_[kCoarsest].sin.begin() + static_cast<Index>(coarse), n, sin.begin());
  for (std::size_t level = kCoarsest; level-- > lowest;) {
    const std::size_t row = digit(t, level) * n;
    rotate_pairs(cos, sin, levels_[level].cos.data() + row, levels_[level].sin.data() + row);
  }
}

void RotaryLevels::turns(std::int64_t t, std::span<double> cos, std::span<double> sin) const {
  product(t, 0, cos, sin);
}

void RotaryLevels::growth(std::int64_t t, std::span<double> factor) const {
  std::ranges::fill(factor, 1.0);
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    const Table& table = levels_[level];
    if (table.growth.empty()) return;
    const double* by = table.growth.data() + digit(t, level) * slots();
    for (std::size_t j = 0; j < slots(); ++j) factor[j] *= by[j];
  }
}

void RotaryLevels::fill(std::int64_t first, Index count, float* cos, float* sin,
                        Index stride) const {
  while (count > 0) {
    // Position 0 has a row of its own: its sines are 0 exactly, which no error bound would settle.
    const Index rows = first == 0 ? 1 : std::min<Index>(count, kSteps - first % kSteps);
    fill_block(first, rows, cos, sin, stride);
    first += rows;
    count -= rows;
    cos += rows * stride;
    sin += rows * stride;
  }
}

// REQUIRES: no position of the block needs another lower step than the first.
void RotaryLevels::fill_block(std::int64_t first, Index count, float* cos, float* sin,
                              Index stride) const {
  const std::size_t n = slots();
  std::vector<double> start(2 * n);
  const std::span<double> start_cos(start.data(), n), start_sin(start.data() + n, n);
  product(first, 1, start_cos, start_sin);
  const std::size_t from = digit(first, 0) * n, size = static_cast<std::size_t>(count) * n;
  const RotaryRows rows = {.start_cos = start_cos,
                           .start_sin = start_sin,
                           .step_cos = std::span(levels_[0].cos).subspan(from, size),
                           .step_sin = std::span(levels_[0].sin).subspan(from, size),
                           .cos_error = cos_error_,
                           .sin_error = first == 0 ? no_error_ : sin_error_,
                           .cos = cos,
                           .sin = sin,
                           .stride = stride};
  fill_rotary_rows(rows, [&](Index row, Index j) {
    const RotaryValue value = exact_rotary_value(static_cast<double>(first + row),
                                                 frequencies_[unsigned_size(j)], magnitude_);
    cos[row * stride + j] = value.cos;
    sin[row * stride + j] = value.sin;
  });
}

}  // namespace sextant
