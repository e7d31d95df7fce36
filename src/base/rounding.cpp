// SPDX-License-Identifier: Apache-2.0
#include "base/rounding.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sextant {
namespace {

// A binary format of 16 bits: sign, exponent, fraction, with subnormals and infinity.
struct ShortFormat {
  int precision;     // bits of the significand, the hidden one included
  int min_exponent;  // of the smallest normal value
  int max_exponent;  // of the largest
  std::uint16_t infinity;
};

constexpr ShortFormat kHalf = {11, -14, 15, 0x7c00};
constexpr ShortFormat kBfloat16 = {8, -126, 127, 0x7f80};

// |x| in units of the last place at its exponent. Counted from the smallest normal value, exponent
// and rounded significand add up to the bit pattern: a carry moves to the next exponent, and the
// last carry makes infinity.
std::uint16_t rounded_bits(double x, const ShortFormat& format) {
  const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const double size = std::abs(x);
  const int fraction_bits = format.precision - 1;
  if (std::isnan(x)) {
    return static_cast<std::uint16_t>(sign | format.infinity | (1 << (fraction_bits - 1)));
  }
  if (size >= std::ldexp(1.0, format.max_exponent + 1)) return sign | format.infinity;
  const int stored = static_cast<int>(std::bit_cast<std::uint64_t>(size) >> 52) - 1023;
  const int exponent = std::max(stored, format.min_exponent);
  const int units = static_cast<int>(std::nearbyint(std::ldexp(size, fraction_bits - exponent)));
  const int bits = ((exponent - format.min_exponent) << fraction_bits) + units;
  return static_cast<std::uint16_t>(sign | bits);
}

double value_of_bits(std::uint16_t bits, const ShortFormat& format) {
  const int fraction_bits = format.precision - 1;
  const int size = bits & 0x7fff;
  const double sign = (bits & 0x8000) ? -1.0 : 1.0;
  const int fraction = size & ((1 << fraction_bits) - 1);
  if (size >= format.infinity) return sign * (fraction == 0 ? HUGE_VAL : std::nan(""));
  const int field = size >> fraction_bits;
  const int significand = field == 0 ? fraction : fraction + (1 << fraction_bits);
  return sign *
         std::ldexp(significand, std::max(field, 1) - 1 + format.min_exponent - fraction_bits);
}

}  // namespace

double to_double(DoubleDouble x) { return x.high + x.low; }

// Rounds to odd first: a double that is inexact gets an odd last bit, so it never looks like a
// tie between two floats, and the second rounding is the only one that counts.
float to_float(DoubleDouble x) {
  auto bits = std::bit_cast<std::uint64_t>(x.high);
  if (x.low != 0.0 && (bits & 1) == 0) {
    const bool away_from_zero = (x.low > 0.0) == (x.high > 0.0);
    bits += away_from_zero ? 1 : -1;
  }
  return static_cast<float>(std::bit_cast<double>(bits));
}

std::uint16_t to_half(double x) { return rounded_bits(x, kHalf); }
std::uint16_t to_bfloat16(double x) { return rounded_bits(x, kBfloat16); }
double from_half(std::uint16_t bits) { return value_of_bits(bits, kHalf); }
double from_bfloat16(std::uint16_t bits) { return value_of_bits(bits, kBfloat16); }

}  // namespace sextant
