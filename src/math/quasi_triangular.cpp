// SPDX-License-Identifier: Apache-2.0
#include "math/quasi_triangular.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "math/eigen_map.h"
#include "math/elementary.h"
#include "math/matrix_exponential.h"

namespace sextant {
namespace {

constexpr double kLogOfLargestDouble = 709.78;
constexpr double kLogOfSmallestDouble = -745.2;

// Up to this norm the approximant of degree 13 is right to the unit roundoff (Higham 2005).
constexpr double kPadeNorm = 5.371920351148152;
constexpr std::size_t kPadeDegree = 13;

// e^(decay t).
double growth(double decay, double t) {
  if (decay == 0.0) return 1.0;
  const double rough = decay * t;
  if (rough > kLogOfLargestDouble)
    fail(ErrorCode::kNumeric, "generator", "exp(tX) must be finite but overflows at t={}", t);
  if (rough < kLogOfSmallestDouble) return 0.0;
  const DoubleDouble exponent = two_prod(decay, t);
  return std::exp(exponent.high) * (1.0 + exponent.low);
}

// Coefficients of the numerator of the diagonal Pade approximant of exp, of degree 0 upwards, times
// powers of the scale. The denominator has those of odd degree negated.
std::array<double, kPadeDegree + 1> pade_coefficients(double scale) {
  std::array<double, kPadeDegree + 1> c = {1.0};
  for (std::size_t j = 1; j < c.size(); ++j)
    c[j] = c[j - 1] * scale * static_cast<double>(kPadeDegree - j + 1) /
           static_cast<double>((2 * kPadeDegree - j + 1) * j);
  return c;
}

Columns product(const Columns& a, const Columns& b) {
  const Index d = a.rows;
  Columns c(d, d);
  multiply(d, d, d, 1.0, a.col(0), d, b.col(0), d, 0.0, c.col(0), d);
  return c;
}

auto entries(Columns& m) { return as_eigen(std::span<double>(m.values)); }
auto entries(const Columns& m) { return as_eigen(std::span<const double>(m.values)); }

void write(const SchurBlock& block, const BlockExponential& value, Columns& m) {
  m.col(block.at)[block.at] = value.diagonal;
  if (!block.pair()) return;
  m.col(block.at)[block.at + 1] = value.lower;
  m.col(block.at + 1)[block.at] = value.upper;
  m.col(block.at + 1)[block.at + 1] = value.diagonal;
}

}  // namespace

std::vector<SchurBlock> schur_blocks(const Columns& t) {
  std::vector<SchurBlock> blocks;
  for (Index i = 0; i < t.rows; i += blocks.back().dim()) {
    SchurBlock block{.at = i, .decay = t.col(i)[i]};
    if (i + 1 < t.rows && t.col(i)[i + 1] != 0.0) {
      block.lower = t.col(i)[i + 1];
      block.upper = t.col(i + 1)[i];
      block.frequency = block.upper == -block.lower ? DoubleDouble(std::abs(block.lower))
                                                    : square_root(std::abs(block.upper)) *
                                                          square_root(std::abs(block.lower));
    }
    blocks.push_back(block);
  }
  return blocks;
}

BlockExponential exponential(const SchurBlock& block, double t) {
  if (!std::isfinite(t)) fail(ErrorCode::kNumeric, "generator", "t must be finite but is {}", t);
  const double scale = growth(block.decay, t);
  if (!block.pair()) return {.diagonal = scale};
  const double w = block.frequency.high;
  if (!(std::abs(t * w) < kLargestAngle))
    fail(ErrorCode::kNumeric, "generator",
         "the angles of exp(tX) must stay below 2^42 but one is {:.3g} at t={}", t * w, t);
  const DoubleDouble angle = block.frequency * t;
  const double cos = std::cos(angle.high), sin = std::sin(angle.high);
  // The low part stays below 2^-11: two terms of its series each.
  const double low = angle.low, versine = 0.5 * low * low, turn = low - low * versine / 3.0;
  const double s = scale * (sin + (turn * cos - versine * sin));
  return {.diagonal = scale * (cos - (turn * sin + versine * cos)),
          .upper = s * (block.upper / w),
          .lower = s * (block.lower / w)};
}

QuasiTriangularExponential::QuasiTriangularExponential(Columns t)
    : dim_(t.rows), blocks_(schur_blocks(t)), t1_(std::move(t)) {
  norm_ = entries(t1_).norm();
  if (norm_ > 0.0) entries(t1_) /= norm_;
  t2_ = product(t1_, t1_);
  t4_ = product(t2_, t2_);
  t6_ = product(t4_, t2_);
}

// exp(scale T / norm), for a scale within kPadeNorm.
Columns QuasiTriangularExponential::pade(double scale) const {
  const auto c = pade_coefficients(scale);
  const auto sum = [&](std::size_t degree) {  // of degrees 2, 4, 6 above this one
    Columns m(dim_, dim_);
    entries(m) =
        c[degree + 2] * entries(t2_) + c[degree + 4] * entries(t4_) + c[degree + 6] * entries(t6_);
    return m;
  };
  const auto polynomial = [&](std::size_t parity) {  // the even part, or the odd one over T
    Columns m = product(t6_, sum(6 + parity));
    const Columns low = sum(parity);
    entries(m) += entries(low);
    for (Index i = 0; i < dim_; ++i) m.col(i)[i] += c[parity];
    return m;
  };
  Columns even = polynomial(0);
  const Columns odd = product(t1_, polynomial(1));
  Columns numerator(dim_, dim_);
  entries(numerator) = entries(even) + entries(odd);
  entries(even) -= entries(odd);
  const int n = blas_int(dim_);
  std::vector<int> pivots(static_cast<std::size_t>(dim_));
  int info = 0;
  const BlasCall call;
  dgesv_(&n, &n, even.col(0), &n, pivots.data(), numerator.col(0), &n, &info);
  if (info != 0)
    fail(ErrorCode::kNumeric, "generator", "exp(tX) has no Pade approximant (dgesv: {})", info);
  return numerator;
}

Columns QuasiTriangularExponential::at(double t) const {
  const double size = std::abs(t) * norm_;
  check_exponent(size, t);
  for (const SchurBlock& block : blocks_) exponential(block, t);  // refuses what overflows
  int squarings = 0;
  while (std::ldexp(size, -squarings) > kPadeNorm) ++squarings;
  Columns result = pade(std::ldexp(t * norm_, -squarings));
  for (int left = squarings;; --left) {
    for (const SchurBlock& block : blocks_)
      write(block, exponential(block, std::ldexp(t, -left)), result);
    if (left == 0) break;
    result = product(result, result);
  }
  if (!entries(result).allFinite())
    fail(ErrorCode::kNumeric, "generator", "exp(tX) must be finite but overflows at t={}", t);
  return result;
}

}  // namespace sextant
