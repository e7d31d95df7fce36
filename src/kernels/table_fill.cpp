// SPDX-License-Identifier: Apache-2.0
#include "kernels/table_fill.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"
#include "base/parallel.h"
#include "base/rounding.h"
#include "kernels/bias_matrix.h"
#include "kernels/rotary_table.h"
#include "math/elementary.h"

namespace sextant {
namespace {

static_assert(std::endian::native == std::endian::little, "tables are written as they lie");

constexpr ShortType kHalf = {to_half, from_half};
constexpr ShortType kBfloat16 = {to_bfloat16, from_bfloat16};

template <typename T>
std::span<T> as(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

// Rounds values into `out`; returns the first that is not finite afterwards, or their number.
template <typename T, typename Round, typename Widen>
std::size_t round_values(std::span<const double> values, std::span<T> out, Round round,
                         Widen widen) {
  std::size_t good = values.size();
  for (std::size_t i = values.size(); i-- > 0;) {
    out[i] = round(values[i]);
    if (!std::isfinite(widen(out[i]))) good = i;
  }
  return good;
}

std::size_t store(std::span<const double> values, Dtype dtype, std::span<std::byte> out) {
  const auto same = [](auto x) { return x; };
  switch (dtype) {
    case Dtype::kF64:
      return round_values(values, as<double>(out), same, same);
    case Dtype::kF32:
      return round_values(
          values, as<float>(out), [](double x) { return static_cast<float>(x); }, same);
    case Dtype::kF16:
      return round_values(values, as<std::uint16_t>(out), to_half, from_half);
    case Dtype::kBF16:
      return round_values(values, as<std::uint16_t>(out), to_bfloat16, from_bfloat16);
  }
  return 0;
}

// A double whose rounding to `dtype` is within 2^-13 ulp of that of x: 16-bit types go by way of
// the correctly rounded float, as they do in the fast path.
double before_rounding(DoubleDouble x, Dtype dtype) {
  return dtype == Dtype::kF64 ? to_double(x) : static_cast<double>(to_float(x)) + 0.0;
}

std::span<std::byte> piece(std::span<std::byte> out, Dtype dtype, Index first, Index count) {
  const Index width = bytes_per_value(dtype);
  return out.subspan(unsigned_size(first * width), unsigned_size(count * width));
}

// values(i, v) writes the `size` values of position i. REQUIRES: size > 0.
template <typename Values>
void fill_by_position(const TableRequest& request, Index size, std::string_view where,
                      std::span<std::byte> out, const Values& values) {
  parallel_for(request.positions.size(), request.threads, [&](Index begin, Index end) {
    Vector v(unsigned_size(size));
    for (Index i = begin; i < end; ++i) {
      values(i, std::span<double>(v));
      const std::size_t good = store(v, request.dtype, piece(out, request.dtype, i * size, size));
      if (good < v.size()) {
        fail(ErrorCode::kNumeric, where, "{}[{}] of position {} must be finite in {} but is {}",
             name(request.kind), good, request.positions[i][0], name(request.dtype), v[good]);
      }
    }
  });
}

// A scalar counts on every axis; other positions must have each axis that turns a pair. cos_sin
// needs phases below 2^42; nothing larger means anything in double.
void check_positions(const RotaryLadder& ladder, const TableRequest& request,
                     std::string_view where) {
  const Index axes = 1 + *std::max_element(ladder.axis.begin(), ladder.axis.end());
  require(request.positions.axes() == 1 || request.positions.axes() >= axes, where,
          "positions must have 1 or {} axes but have {}", axes, request.positions.axes());
  double fastest = 0.0;
  for (const DoubleDouble& w : ladder.inv_freq) fastest = std::max(fastest, std::abs(w.high));
  const auto check = [&](Index i) {
    const Position t = request.positions[i];
    for (Index axis = 0; axis < t.axes(); ++axis) {
      require(std::abs(t[axis]) * fastest < kLargestAngle, where,
              "position {} must turn by less than 2^42 but the fastest frequency is {}", t[axis],
              fastest);
    }
  };
  const Index n = request.positions.size();
  if (n == 0) return;
  if (request.positions.consecutive()) {
    check(0);
    check(n - 1);
  } else {
    for (Index i = 0; i < n; ++i) check(i);
  }
}

RotaryTable wanted(Turn turn, std::span<float> values) {
  return turn == Turn::kCos ? RotaryTable{values, {}} : RotaryTable{{}, values};
}

bool integer_range(const Positions& positions) {
  return positions.consecutive() &&
         positions.consecutive()->offset == std::floor(positions.consecutive()->offset);
}

// A 16-bit table by way of floats, a few megabytes at a time.
void fill_turns_in_stretches(const RotaryLadder& ladder, Turn turn, const TableRequest& request,
                             std::span<std::byte> out) {
  constexpr Index kFloats = Index{1} << 20;
  const Index n = request.positions.size();
  const Index pairs = static_cast<Index>(ladder.inv_freq.size());
  const Index stretch = std::min(n, std::max<Index>(1, kFloats / pairs));
  const double offset = request.positions.consecutive()->offset;
  std::vector<float> buffer(unsigned_size(stretch * pairs));
  for (Index first = 0; first < n; first += stretch) {
    const Index count = std::min(stretch, n - first);
    const auto values = std::span(buffer).first(unsigned_size(count * pairs));
    fill_rotary_table(Positions::range(count, offset + static_cast<double>(first)), ladder.inv_freq,
                      ladder.magnitude, request.threads, wanted(turn, values));
    parallel_for(count, request.threads, [&](Index begin, Index end) {
      Vector row(unsigned_size(pairs));
      for (Index i = begin; i < end; ++i) {
        const auto from = values.subspan(unsigned_size(i * pairs), row.size());
        std::copy(from.begin(), from.end(), row.begin());
        store(row, request.dtype, piece(out, request.dtype, (first + i) * pairs, pairs));
      }
    });
  }
}

}  // namespace

void fill_rows(const InputTable& table, Index dim, const TableRequest& request,
               std::string_view where, std::span<std::byte> out) {
  fill_by_position(request, dim, where, out,
                   [&](Index i, std::span<double> v) { table.row(request.positions[i], v); });
}

void fill_matrices(const QueryKeyMap& map, const TableRequest& request, std::string_view where,
                   std::span<std::byte> out) {
  fill_by_position(request, map.dim() * map.dim(), where, out, [&](Index i, std::span<double> v) {
    const Matrix a = map.at(request.positions[i]);
    std::copy(a.values().begin(), a.values().end(), v.begin());
  });
}

void fill_turns(const RotaryLadder& ladder, Turn turn, const TableRequest& request,
                std::string_view where, std::span<std::byte> out) {
  check_positions(ladder, request, where);
  const bool one_axis = request.positions.axes() == 1;
  if (one_axis && request.dtype == Dtype::kF32) {
    return fill_rotary_table(request.positions, ladder.inv_freq, ladder.magnitude, request.threads,
                             wanted(turn, as<float>(out)));
  }
  if (one_axis && request.dtype != Dtype::kF64 && integer_range(request.positions)) {
    return fill_turns_in_stretches(ladder, turn, request, out);
  }
  const Index pairs = static_cast<Index>(ladder.inv_freq.size());
  fill_by_position(request, pairs, where, out, [&](Index i, std::span<double> v) {
    const Position t = request.positions[i];
    for (std::size_t j = 0; j < v.size(); ++j) {
      const CosSin value = cos_sin(t[ladder.axis[j]], ladder.inv_freq[j]);
      v[j] = before_rounding(ladder.magnitude * (turn == Turn::kCos ? value.cos : value.sin),
                             request.dtype);
    }
  });
}

void fill_frequencies(const RotaryLadder& ladder, Dtype dtype, std::string_view where,
                      std::span<std::byte> out) {
  Vector values;
  for (const DoubleDouble& w : ladder.inv_freq) values.push_back(before_rounding(w, dtype));
  const std::size_t good = store(values, dtype, out);
  if (good < values.size()) {
    fail(ErrorCode::kNumeric, where, "inv_freq[{}] must be finite in {} but is {}", good,
         name(dtype), values[good]);
  }
}

void fill_biases(const LogitBias& bias, const TableRequest& request, std::span<std::byte> out) {
  const Index heads = request.extent.heads;
  const Positions& positions = request.positions;
  switch (request.dtype) {
    case Dtype::kF64:
      return fill_bias_matrix(bias, heads, positions, request.threads, as<double>(out));
    case Dtype::kF32:
      return fill_bias_matrix(bias, heads, positions, request.threads, as<float>(out));
    case Dtype::kF16:
      return fill_bias_matrix(bias, heads, positions, request.threads, kHalf,
                              as<std::uint16_t>(out));
    case Dtype::kBF16:
      return fill_bias_matrix(bias, heads, positions, request.threads, kBfloat16,
                              as<std::uint16_t>(out));
  }
}

}  // namespace sextant
