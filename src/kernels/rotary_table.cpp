// SPDX-License-Identifier: Apache-2.0
// A position below 2^31 is the sum of a coarse, an upper, a lower and a fine step, and rotations
// add: a hundred exact values per frequency give all others by one complex product each.
//
// Error of that product, with u = 2^-53 and magnitude m. A fine, lower or upper entry is rounded
// once from double-double: u/2. A coarse entry carries m: u m. A rotation in double multiplies the
// errors of its first factor by at most sqrt(2), adds sqrt(2) m times those of the second, and
// rounds its products and its sum, u m each. In units of u m:
//   coarse * upper          sqrt(2)         + sqrt(2)/2 + 2 <  4.13
//   ... * lower             sqrt(2) *  4.13 + sqrt(2)/2 + 2 <  8.55
//   ... * fine              sqrt(2) *  8.55 + sqrt(2)/2 + 2 < 14.80
// Adding the bound in the test rounds once more, 1; the rest up to 17 covers second-order terms
// and the error of double-double itself.
#include "kernels/rotary_table.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/parallel.h"
#include "base/rounding.h"
#include "kernels/rotary_rows.h"
#include "math/elementary.h"

namespace sextant {
namespace {

constexpr Index kFine = 32;   // positions per block
constexpr Index kLower = 16;  // blocks per upper step
constexpr Index kUpper = 16;  // upper steps per coarse step
constexpr Index kCoarseStep = kFine * kLower * kUpper;
constexpr Index kWorthwhile = 256;  // fewer positions than this do not pay for the tables

// Where a pair of values goes; null: not wanted.
struct TablePlace {
  float* cos = nullptr;
  float* sin = nullptr;

  TablePlace operator+(Index offset) const {
    return {cos == nullptr ? nullptr : cos + offset, sin == nullptr ? nullptr : sin + offset};
  }
};

TablePlace first_cell(const RotaryTable& table) {
  return {table.cos.empty() ? nullptr : table.cos.data(),
          table.sin.empty() ? nullptr : table.sin.data()};
}

CosSin scaled_cos_sin(double t, DoubleDouble frequency, DoubleDouble magnitude) {
  const CosSin value = cos_sin(t, frequency);
  return {magnitude * value.cos, magnitude * value.sin};
}

void store_exactly(double t, DoubleDouble frequency, DoubleDouble magnitude, TablePlace cell) {
  const RotaryValue value = exact_rotary_value(t, frequency, magnitude);
  if (cell.cos != nullptr) *cell.cos = value.cos;
  if (cell.sin != nullptr) *cell.sin = value.sin;
}

void fill_one_by_one(const Positions& positions, std::span<const DoubleDouble> frequencies,
                     DoubleDouble magnitude, Index threads, TablePlace out) {
  const Index pairs = static_cast<Index>(frequencies.size());
  parallel_for(positions.size(), threads, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const double t = positions[i][0];
      for (Index j = 0; j < pairs; ++j) {
        store_exactly(t, frequencies[unsigned_size(j)], magnitude, out + (i * pairs + j));
      }
    }
  });
}

// Cosines and sines of one position, [pairs], or of many, [positions, pairs].
struct TurnTable {
  explicit TurnTable(std::size_t size) : cos(size), sin(size) {}

  std::vector<double> cos, sin;
};

// magnitude cos and sin of (first + i) * step * frequency, [count, pairs].
TurnTable exact_turns(Index first, Index count, Index step,
                      std::span<const DoubleDouble> frequencies, DoubleDouble magnitude,
                      Index threads) {
  const std::size_t pairs = frequencies.size();
  TurnTable result(unsigned_size(count) * pairs);
  parallel_for(count, threads, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const double t = static_cast<double>((first + i) * step);
      for (std::size_t j = 0; j < pairs; ++j) {
        const CosSin value = scaled_cos_sin(t, frequencies[j], magnitude);
        result.cos[unsigned_size(i) * pairs + j] = to_double(value.cos);
        result.sin[unsigned_size(i) * pairs + j] = to_double(value.sin);
      }
    }
  });
  return result;
}

// out = row a_row of `a` times row b_row of `b`, pair by pair as complex numbers.
void rotate(const TurnTable& a, Index a_row, const TurnTable& b, Index b_row, TurnTable& out) {
  const std::size_t pairs = out.cos.size();
  const std::size_t from_a = unsigned_size(a_row) * pairs, from_b = unsigned_size(b_row) * pairs;
  for (std::size_t j = 0; j < pairs; ++j) {
    const double a_cos = a.cos[from_a + j], a_sin = a.sin[from_a + j];
    const double b_cos = b.cos[from_b + j], b_sin = b.sin[from_b + j];
    out.cos[j] = a_cos * b_cos - a_sin * b_sin;
    out.sin[j] = a_sin * b_cos + a_cos * b_sin;
  }
}

// Positions first, first + 1, ..., last, all at least 0. Position first + i goes to out + i *
// stride.
class Stretch {
 public:
  Stretch(Index first, Index last, std::span<const DoubleDouble> frequencies,
          DoubleDouble magnitude, TablePlace out, Index stride, Index threads)
      : first_(first),
        last_(last),
        frequencies_(frequencies),
        magnitude_(magnitude),
        out_(out),
        stride_(stride),
        fine_(exact_turns(0, kFine, 1, frequencies, 1.0, threads)),
        lower_(exact_turns(0, kLower, kFine, frequencies, 1.0, threads)),
        upper_(exact_turns(0, kUpper, kFine * kLower, frequencies, 1.0, threads)),
        coarse_(exact_turns(first / kCoarseStep, last / kCoarseStep - first / kCoarseStep + 1,
                            kCoarseStep, frequencies, magnitude, threads)),
        cos_error_(frequencies.size(), kRotaryErrorBound * std::abs(magnitude.high)),
        sin_error_(cos_error_) {
    // A sine that is 0 throughout is exact.
    for (std::size_t j = 0; j < frequencies.size(); ++j) {
      if (frequencies[j].high == 0.0) sin_error_[j] = 0.0;
    }
  }

  void fill(Index threads) const {
    const Index first_block = first_ / kFine;
    parallel_for(last_ / kFine - first_block + 1, threads, [&](Index begin, Index end) {
      TurnTable outer(frequencies_.size()), start(frequencies_.size());
      for (Index block = first_block + begin; block < first_block + end; ++block) {
        if (block == first_block + begin || block % kLower == 0) {
          const Index step = block / kLower;
          rotate(coarse_, step / kUpper - first_ / kCoarseStep, upper_, step % kUpper, outer);
        }
        rotate(outer, 0, lower_, block % kLower, start);
        fill_block(block, start);
      }
    });
  }

 private:
  void fill_block(Index block, const TurnTable& start) const {
    const Index begin = std::max(block * kFine, first_);
    const Index end = std::min((block + 1) * kFine, last_ + 1);
    const std::size_t from = unsigned_size(begin % kFine) * frequencies_.size();
    const std::size_t size = unsigned_size(end - begin) * frequencies_.size();
    const TablePlace cell = out_ + (begin - first_) * stride_;
    const RotaryRows rows = {.start_cos = start.cos,
                             .start_sin = start.sin,
                             .step_cos = std::span(fine_.cos).subspan(from, size),
                             .step_sin = std::span(fine_.sin).subspan(from, size),
                             .cos_error = cos_error_,
                             .sin_error = sin_error_,
                             .cos = cell.cos,
                             .sin = cell.sin,
                             .stride = stride_};
    fill_rotary_rows(rows, [&](Index row, Index j) {
      store_exactly(static_cast<double>(begin + row), frequencies_[unsigned_size(j)], magnitude_,
                    cell + (row * stride_ + j));
    });
  }

  Index first_, last_;
  std::span<const DoubleDouble> frequencies_;
  DoubleDouble magnitude_;
  TablePlace out_;
  Index stride_;
  TurnTable fine_, lower_, upper_, coarse_;
  std::vector<double> cos_error_, sin_error_;
};

// The first position, when the fast path serves these positions and frequencies: the bound above
// assumes integers, and numbers far from the limits of float and of exact products.
std::optional<Index> fast_start(const Positions& positions,
                                std::span<const DoubleDouble> frequencies, DoubleDouble magnitude) {
  constexpr double kFarthest = 0x1p31;
  if (!positions.consecutive() || positions.size() < kWorthwhile) return std::nullopt;
  const auto& [count, offset] = *positions.consecutive();
  if (offset != std::floor(offset) || std::abs(offset) >= kFarthest) return std::nullopt;
  if (offset + static_cast<double>(count) >= kFarthest) return std::nullopt;
  const double size = std::abs(magnitude.high);
  if (!(size > 0x1p-80 && size < 0x1p80)) return std::nullopt;
  for (const DoubleDouble& frequency : frequencies) {
    if (std::abs(frequency.high) >= 0x1p8) return std::nullopt;
  }
  return static_cast<Index>(offset);
}

}  // namespace

// Adding 0 turns -0 into 0: the sign of a zero would tell which path made it.
RotaryValue exact_rotary_value(double t, DoubleDouble frequency, DoubleDouble magnitude) {
  const CosSin value = scaled_cos_sin(t, frequency, magnitude);
  return {to_float(value.cos) + 0.0f, to_float(value.sin) + 0.0f};
}

void fill_rotary_table(const Positions& positions, std::span<const DoubleDouble> frequencies,
                       DoubleDouble magnitude, Index threads, const RotaryTable& table) {
  const TablePlace out = first_cell(table);
  if (frequencies.empty() || positions.size() == 0) return;
  if (out.cos == nullptr && out.sin == nullptr) return;
  const std::optional<Index> start = fast_start(positions, frequencies, magnitude);
  if (!start) return fill_one_by_one(positions, frequencies, magnitude, threads, out);

  const Index pairs = static_cast<Index>(frequencies.size());
  const Index end = *start + positions.size();
  if (end > 0) {
    const Index first = std::max<Index>(*start, 0);
    const TablePlace row = out + (first - *start) * pairs;
    Stretch(first, end - 1, frequencies, magnitude, row, pairs, threads).fill(threads);
  }
  if (*start < 0) {
    // t below 0 is -t with every frequency negated, and rows in reverse.
    std::vector<DoubleDouble> negated(frequencies.begin(), frequencies.end());
    for (DoubleDouble& frequency : negated) frequency = -frequency;
    const Index last = std::min<Index>(end - 1, -1);
    const TablePlace row = out + (last - *start) * pairs;
    Stretch(-last, -*start, negated, magnitude, row, -pairs, threads).fill(threads);
  }
}

void fill_rotary_table_plain(const Positions& positions, std::span<const DoubleDouble> frequencies,
                             DoubleDouble magnitude, const RotaryTable& table) {
  fill_one_by_one(positions, frequencies, magnitude, 1, first_cell(table));
}

}  // namespace sextant
