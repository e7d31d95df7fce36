// SPDX-License-Identifier: Apache-2.0
// How far the cos and sin tables of rope are from the true values, in units in the last place.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "base/rounding.h"
#include "sextant/registry.h"
#include "sextant/table.h"
#include "support/quad.h"

namespace sextant {

struct FloatFormat {
  Dtype dtype;
  int precision;
  int min_exponent;
  double bound;  // in ulp, as table.h promises
};

constexpr std::array<FloatFormat, 4> kFormats = {{{Dtype::kF64, 53, -1022, 1.0},
                                                  {Dtype::kF32, 24, -126, 0.5001},
                                                  {Dtype::kF16, 11, -14, 0.502},
                                                  {Dtype::kBF16, 8, -126, 0.502}}};

inline double value_at(const Table& table, std::size_t index) {
  const auto read = [&]<typename T>(T value) {
    std::memcpy(&value, table.bytes.data() + index * sizeof(T), sizeof(T));
    return value;
  };
  if (table.dtype == Dtype::kF64) return read(double{});
  if (table.dtype == Dtype::kF32) return static_cast<double>(read(float{}));
  return table.dtype == Dtype::kF16 ? from_half(read(std::uint16_t{}))
                                    : from_bfloat16(read(std::uint16_t{}));
}

// The worst errors met so far, per format. f64 is granted 2^-100 |phase| beside its ulp.
class RopeAccuracy {
 public:
  // Compares all entries of the cos and sin tables in all formats.
  void measure(double base, Index dim, const Positions& positions) {
    const auto rope = encodings().make(fmt::format("rope(base={})", base));
    std::vector<Quad> frequencies;
    for (Index i = 0; i < dim / 2; ++i) {
      frequencies.push_back(
          quad_power(base, -2.0 * static_cast<double>(i), static_cast<double>(dim)));
    }
    TableRequest request;
    request.positions = positions;
    request.extent = {.positions = positions.size(), .dim = dim, .heads = 1};
    std::array<Table, kFormats.size()> cos, sin;
    for (std::size_t f = 0; f < kFormats.size(); ++f) {
      request.dtype = kFormats[f].dtype;
      request.kind = TableKind::kCos;
      cos[f] = make_table(*rope, request);
      request.kind = TableKind::kSin;
      sin[f] = make_table(*rope, request);
    }
    for (Index i = 0; i < positions.size(); ++i) {
      for (std::size_t j = 0; j < frequencies.size(); ++j) {
        const Quad phase = static_cast<Quad>(positions[i][0]) * frequencies[j];
        const std::size_t at = static_cast<std::size_t>(i) * frequencies.size() + j;
        Quad cosine, sine;
        sincosq(phase, &sine, &cosine);
        for (std::size_t f = 0; f < kFormats.size(); ++f) {
          note(f, value_at(cos[f], at), cosine, phase);
          note(f, value_at(sin[f], at), sine, phase);
        }
      }
    }
    entries_ += static_cast<std::size_t>(positions.size()) * frequencies.size();
  }

  std::size_t entries() const { return entries_; }
  double worst(std::size_t format) const { return worst_[format]; }

  void print() const {
    std::cout << entries_ << " pairs; worst error in ulp:";
    for (std::size_t f = 0; f < kFormats.size(); ++f) {
      std::cout << ' ' << name(kFormats[f].dtype) << fmt::format(" {:.7f}", worst_[f]);
    }
    std::cout << std::endl;
  }

 private:
  void note(std::size_t f, double value, Quad exact, Quad phase) {
    const FloatFormat& format = kFormats[f];
    Quad error = fabsq(static_cast<Quad>(value) - exact);
    if (format.dtype == Dtype::kF64) {
      error -= ldexpq(fabsq(phase), -100);
      if (error < 0) error = 0;
    }
    worst_[f] = std::max(worst_[f], ulps(error, exact, format.precision, format.min_exponent));
  }

  std::array<double, kFormats.size()> worst_ = {};
  std::size_t entries_ = 0;
};

}  // namespace sextant
